import fc from 'fast-check';
import type { KnownPerson } from './person';
import type { Link, PersonFacts } from './person-facts';
import { type Belonging, PersonRoster } from './person-roster';

const SEEN: PersonFacts = { hasPerson: true, identifies: false, change: null, link: null };
const idFor = (distinctId: string) => `new ${distinctId}`;

const set = (properties: Record<string, unknown>): PersonFacts => ({
  ...SEEN,
  change: { set: properties, setOnce: {}, unset: [] },
});
const link = (kind: Link['kind'], otherId: string): PersonFacts => ({
  ...SEEN,
  identifies: kind === 'identify',
  link: { kind, otherId },
});
const known = (id: string, more: Partial<KnownPerson> = {}): KnownPerson => ({
  id,
  properties: {},
  isIdentified: false,
  ...more,
});
const summary = (roster: PersonRoster) => ({
  created: roster.created.map(({ id }) => id),
  changed: roster.changed.map(({ id }) => id),
  belongings: roster.belongings,
  absorbed: roster.absorbed,
});

describe('A roster of persons', () => {
  it('makes a person of a new id, and leaves alone whom nothing is told of', () => {
    const roster = new PersonRoster([['a', 'A']], [], idFor);
    roster.apply('a', SEEN);
    roster.apply('b', SEEN);
    expect(roster.personIdOf('a')).toBe('A');
    expect(roster.personIdOf('c')).toBe('new c');
    expect(summary(roster)).toEqual({
      created: ['new b'],
      changed: [],
      belongings: [['b', 'new b']],
      absorbed: [],
    });
  });

  it('changes properties in the order of what is told', () => {
    const roster = new PersonRoster([['a', 'A']], [known('A', { properties: { x: 0, y: 0 } })], idFor);
    roster.apply('a', { ...SEEN, change: { setOnce: { x: 1, z: 1 }, set: { w: 1 }, unset: ['y'] } });
    roster.apply('a', { ...SEEN, change: { setOnce: { y: 2, z: 2 }, set: { w: 2 }, unset: [] } });
    expect(JSON.parse(roster.changed[0]?.json ?? '')).toEqual({ x: 0, w: 2, y: 2, z: 1 });
  });

  it('counts as changed only whose properties are others than before', () => {
    const roster = new PersonRoster([['a', 'A']], [known('A', { properties: { x: 1, y: [1] } })], idFor);
    roster.apply('a', set({ x: 1, y: [1] }));
    expect(summary(roster).changed).toEqual([]);
    roster.apply('a', set({ y: [2] }));
    expect(summary(roster).changed).toEqual(['A']);
  });

  it('adds an id that is new to the person of the other one', () => {
    for (const kind of ['identify', 'alias', 'merge'] as const) {
      const roster = new PersonRoster([['device', 'D']], [known('D')], idFor);
      roster.apply('user', link(kind, 'device'));
      expect(summary(roster)).toEqual({
        created: [],
        changed: ['D'],
        belongings: [['user', 'D']],
        absorbed: [],
      });
      expect(roster.changed[0]?.isIdentified).toBe(true);
    }
  });

  it('makes one person of two new ids, the one whom earlier events without a person name', () => {
    const roster = new PersonRoster([], [], idFor);
    roster.apply('user', link('identify', 'device'));
    expect(summary(roster)).toEqual({
      created: ['new device'],
      changed: [],
      belongings: [
        ['user', 'new device'],
        ['device', 'new device'],
      ],
      absorbed: [],
    });
  });

  it.each([
    ['identify', false, false, 'U'],
    ['identify', true, false, 'U'],
    ['identify', false, true, null],
    ['identify', true, true, null],
    ['alias', false, false, 'U'],
    ['alias', true, false, 'U'],
    ['alias', false, true, 'D'],
    ['alias', true, true, null],
    ['merge', false, true, 'U'],
    ['merge', true, true, 'U'],
  ] as const)('%s: known by name %s, the other %s: %s is left', (kind, own, other, left) => {
    const roster = new PersonRoster(
      [
        ['user', 'U'],
        ['device', 'D'],
      ],
      [
        known('U', { isIdentified: own, properties: { from: 'U', u: 1 } }),
        known('D', { isIdentified: other, properties: { from: 'D', d: 1 } }),
      ],
      idFor,
    );
    roster.apply('user', link(kind, 'device'));
    if (left === null) {
      expect(roster.absorbed).toEqual([]);
      expect([roster.personIdOf('user'), roster.personIdOf('device')]).toEqual(['U', 'D']);
      return;
    }
    expect(roster.absorbed).toEqual([{ id: left === 'U' ? 'D' : 'U', by: left }]);
    expect([roster.personIdOf('user'), roster.personIdOf('device')]).toEqual([left, left]);
    const [survivor, ...others] = roster.changed;
    expect(others).toEqual([]);
    expect(survivor?.isIdentified).toBe(true);
    expect(JSON.parse(survivor?.json ?? '')).toEqual({ from: left, u: 1, d: 1 });
  });

  it('leaves every id with one person who is there, whatever is told', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const told = fc.oneof(
      fc.record({ id, facts: fc.constant(SEEN) }),
      fc.record({ id, facts: fc.nat(3).map((n) => set({ n })) }),
      fc
        .record({
          id,
          other: id,
          kind: fc.constantFrom('identify' as const, 'alias' as const, 'merge' as const),
        })
        .map(({ id: own, other, kind }) => ({ id: own, facts: own === other ? SEEN : link(kind, other) })),
    );
    const belongings: Belonging[] = [
      ['a', 'A'],
      ['b', 'B'],
      ['c', 'B'],
    ];
    fc.assert(
      fc.property(fc.array(told, { maxLength: 30 }), fc.boolean(), (events, isIdentified) => {
        const roster = new PersonRoster(belongings, [known('A', { isIdentified }), known('B')], idFor);
        for (const event of events) roster.apply(event.id, event.facts);
        const gone = new Map(roster.absorbed.map((absorbed) => [absorbed.id, absorbed.by]));
        const there = new Set([
          ...['A', 'B'].filter((each) => !gone.has(each)),
          ...roster.created.map((one) => one.id),
        ]);
        for (const by of gone.values()) expect(there).toContain(by);
        for (const [, person] of [...belongings, ...roster.belongings]) {
          expect(there).toContain(gone.get(person) ?? person);
        }
        for (const event of events) expect(there).toContain(roster.personIdOf(event.id));
        // Each new person has an id of its own.
        const owners = new Set(roster.belongings.map(([, person]) => person));
        for (const { id: created } of roster.created) expect(owners).toContain(created);
      }),
    );
  });
});
