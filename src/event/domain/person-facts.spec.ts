import { personFacts } from './person-facts';

const factsOf = (event: string, properties: Record<string, unknown>, distinctId = 'user') =>
  personFacts({ uuid: '', event, distinctId, properties, timestamp: new Date(0) });

describe('What an event tells of persons', () => {
  it('is nothing but that there is one, for most', () => {
    expect(factsOf('seen', { plan: 'team' })).toEqual({
      hasPerson: true,
      identifies: false,
      change: null,
      link: null,
    });
  });

  it('is nothing at all where it leaves the person out', () => {
    const properties = { $process_person_profile: false, $set: { a: 1 }, $anon_distinct_id: 'device' };
    expect(factsOf('$identify', properties)).toEqual({
      hasPerson: false,
      identifies: false,
      change: null,
      link: null,
    });
    expect(factsOf('seen', { $process_person_profile: 'false' }).hasPerson).toBe(true);
  });

  it('is a change of properties, from whatever has the form of one', () => {
    const unchanged = { set: {}, setOnce: {}, unset: [] };
    expect(factsOf('seen', { $set: { a: 1 } }).change).toEqual({ ...unchanged, set: { a: 1 } });
    expect(factsOf('seen', { $set_once: { a: 1 }, $set: 'x' }).change).toEqual({
      ...unchanged,
      setOnce: { a: 1 },
    });
    expect(factsOf('seen', { $unset: ['a', 7, null, 'b'] }).change).toEqual({
      ...unchanged,
      unset: ['a', 'b'],
    });
    expect(factsOf('seen', { $unset: { a: '', b: '' } }).change?.unset).toEqual(['a', 'b']);
    expect(factsOf('seen', { $unset: 'a' }).change?.unset).toEqual(['a']);
    expect(factsOf('seen', { $set: ['a'], $set_once: null }).change).toBeNull();
  });

  it('is a link between two ids, of the kind that the event is named after', () => {
    expect(factsOf('$identify', { $anon_distinct_id: 'device' }).link).toEqual({
      kind: 'identify',
      otherId: 'device',
    });
    expect(factsOf('$create_alias', { alias: 42 }).link).toEqual({ kind: 'alias', otherId: '42' });
    expect(factsOf('$merge_dangerously', { alias: 'other' }).link).toEqual({
      kind: 'merge',
      otherId: 'other',
    });
    expect(factsOf('$identify', { alias: 'other' }).link).toBeNull();
    expect(factsOf('seen', { $anon_distinct_id: 'device', alias: 'other' }).link).toBeNull();
    expect(factsOf('constructor', { alias: 'other' }).link).toBeNull();
    expect(factsOf('$identify', { $anon_distinct_id: 'user' })).toMatchObject({
      identifies: true,
      link: null,
    });
  });

  it.each(['', ' ', 'undefined', 'NULL', 'NaN', 'anonymous', '[object Object]', 'x'.repeat(201)])(
    'is no link with nobody: %j',
    (nobody) => {
      expect(factsOf('$identify', { $anon_distinct_id: nobody }).link).toBeNull();
      expect(factsOf('$create_alias', { alias: nobody }).link).toBeNull();
    },
  );

  it('identifies nobody either', () => {
    expect(factsOf('$identify', { $anon_distinct_id: 'device' }, 'undefined')).toMatchObject({
      identifies: false,
      link: null,
    });
  });
});
