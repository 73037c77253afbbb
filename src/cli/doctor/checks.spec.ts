import { clockOf, connectionsOf } from './check-database';
import { spaceOf } from './check-folder';

const MIB = 2 ** 20;

describe('The doctor', () => {
  it.each([
    [0, 10, 'ok'],
    [-1_900, 10, 'ok'],
    [2_100, 10, 'warning'],
    // A slow answer says less about the clock.
    [2_100, 1_000, 'ok'],
    [-59_000, 10, 'warning'],
    [-61_000, 10, 'problem'],
    [3_600_000, 10, 'problem'],
  ])('of a clock that is %s ms ahead, by an answer in %s ms: %s', (ahead, roundTrip, state) => {
    expect(clockOf({ ahead, roundTrip }).state).toBe(state);
  });

  it('says which way a clock is off', () => {
    expect(clockOf({ ahead: 5_005, roundTrip: 10 }).found).toBe(
      "The database's clock is 5.0 s ahead of this machine's.",
    );
    expect(clockOf({ ahead: -90_000, roundTrip: 0 }).found).toContain('90.0 s behind');
  });

  it('wants room for the connections of another server', () => {
    expect(connectionsOf({ connections: { used: 87, most: 97 } }, 10).state).toBe('ok');
    expect(connectionsOf({ connections: { used: 88, most: 97 } }, 10).state).toBe('warning');
  });

  it.each([
    [2_048, 'ok', '2 GiB left'],
    [1_023, 'warning', '1023 MiB left'],
    [99, 'problem', '99 MiB left'],
  ])('of %s MiB on a disk: %s', (mib, state, found) => {
    expect(spaceOf('folder DATA_DIR', '/data', mib * MIB)).toMatchObject({
      state,
      found: expect.stringContaining(found),
    });
  });
});
