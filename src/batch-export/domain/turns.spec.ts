import { type Occupancy, SCHEDULED_IN_A_ROW, type Turn, turnsAt } from './turns';

/** `a2` is project 2 of organization a; so many of its runs hold slots, some of them for backfills. */
const at = (slots: number, held: Record<string, number | [number, number]>, exporting = ['a1', 'b9']) => {
  const tenant = (name: string) => ({ organizationId: name.slice(0, 1), projectId: Number(name.slice(1)) });
  const running = Object.entries(held).map(([name, count]) => {
    const [runs, backfillRuns] = typeof count === 'number' ? [count, 0] : count;
    return { ...tenant(name), runs, backfillRuns };
  });
  const occupancy: Occupancy = { slots, running, exporting: exporting.map(tenant) };
  return turnsAt(occupancy, 0);
};
const schedule = (turns: Turn[]) => turns.filter(({ kind }) => kind === 'schedule');
const organizations = (turns: Turn[]) => schedule(turns).map((turn) => turn.notOrganizations);

describe('Turns', () => {
  it('are first those of the schedule, then those of backfills', () => {
    expect(at(4, {})).toEqual([
      { kind: 'schedule', notOrganizations: [], notProjects: [] },
      { kind: 'backfill', notOrganizations: [], notProjects: [] },
    ]);
  });

  it('are first those of backfills when several of the schedule have had theirs', () => {
    const occupancy: Occupancy = { slots: 1, running: [], exporting: [] };
    const kinds = (inARow: number) => turnsAt(occupancy, inARow).map(({ kind }) => kind);
    expect(kinds(SCHEDULED_IN_A_ROW - 1)).toEqual(['schedule', 'backfill']);
    expect(kinds(SCHEDULED_IN_A_ROW)).toEqual(['backfill', 'schedule']);
  });

  it('come to those who hold less than half before those who hold more', () => {
    expect(organizations(at(4, { a1: 1, b9: 1 }))).toEqual([[]]);
    expect(organizations(at(4, { a1: 2, b9: 1 }))).toEqual([['a'], []]);
    expect(organizations(at(4, { a1: 1, a2: 1 }))).toEqual([['a'], []]);
    expect(organizations(at(5, { a1: 2, b9: 2 }))).toEqual([['a', 'b'], []]);
  });

  it('leave the last slot to whoever else may come', () => {
    expect(organizations(at(4, { a1: 3 }))).toEqual([['a']]);
    expect(organizations(at(2, { a1: 1 }))).toEqual([['a']]);
    expect(at(4, { a1: 3 })[0]?.notProjects).toEqual([1]);
  });

  it('let one have all slots where there are no others', () => {
    expect(organizations(at(4, { a1: 3 }, ['a1', 'a1']))).toEqual([['a'], []]);
    expect(organizations(at(4, { a1: 3 }, []))).toEqual([['a'], []]);
    expect(at(4, { a1: 3 }, ['a1', 'a1'])[0]?.notProjects).toEqual([]);
  });

  it('keep the last slot from a project also for others of its organization', () => {
    const turns = at(4, { a1: 3 }, ['a1', 'a2']);
    expect(organizations(turns)).toEqual([['a'], []]);
    expect(turns.map(({ notProjects }) => notProjects)).toEqual(turns.map(() => [1]));
    expect(at(4, { a1: 2 }, ['a1', 'a2'])[0]?.notProjects).toEqual([]);
  });

  it('keep the last slot from all backfills together', () => {
    const kinds = (turns: Turn[]) => [...new Set(turns.map(({ kind }) => kind))];
    expect(kinds(at(4, { a1: [2, 2], b9: [1, 0] }))).toEqual(['schedule', 'backfill']);
    expect(kinds(at(4, { a1: [2, 2], b9: [1, 1] }))).toEqual(['schedule']);
  });

  it('come to everybody where there is one slot', () => {
    expect(organizations(at(1, {}))).toEqual([[]]);
  });
});
