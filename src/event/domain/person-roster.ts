import { type KnownPerson, Person } from './person';
import type { Link, PersonFacts } from './person-facts';

/** A distinct id and the id of the person it belongs to. */
export type Belonging = readonly [distinctId: string, personId: string];

/**
 * The persons that a batch of events tells of, and what becomes of them. Knows the person of every distinct id in the
 * batch that has one, and the properties of those whom `apply` is told something about.
 */
export class PersonRoster {
  private readonly personIds: Map<string, string>;
  private readonly persons: Map<string, Person>;
  private readonly added = new Set<string>();
  /** Whom a person turned out to be. */
  private readonly survivors = new Map<string, string>();

  /** @param idFor the id of a new person with this distinct id, always the same one */
  constructor(
    belongings: Iterable<Belonging>,
    persons: Iterable<KnownPerson>,
    private readonly idFor: (distinctId: string) => string,
  ) {
    this.personIds = new Map(belongings);
    this.persons = new Map([...persons].map((known) => [known.id, new Person(known, false)]));
  }

  /** What an event tells; to be called in the order of the events. */
  apply(distinctId: string, { hasPerson, identifies, change, link }: PersonFacts): void {
    if (!hasPerson) return;
    if (link) this.link(distinctId, link);
    if (!this.personIds.has(distinctId)) this.add(distinctId, this.create(distinctId));
    if (identifies) this.find(distinctId)?.identify();
    if (change) this.find(distinctId)?.change(change);
  }

  /** The person of a distinct id; of one without a person, the id that it would have. */
  personIdOf(distinctId: string): string {
    return this.survivorOf(this.personIds.get(distinctId) ?? this.idFor(distinctId));
  }

  get created(): Person[] {
    return this.present().filter(({ isNew }) => isNew);
  }

  get changed(): Person[] {
    return this.present().filter(({ isNew, hasChanged }) => !isNew && hasChanged);
  }

  /** The distinct ids that had no person before. */
  get belongings(): Belonging[] {
    return [...this.added].map((distinctId) => [distinctId, this.personIdOf(distinctId)]);
  }

  /** Those who turned out to be another person, who takes over their distinct ids. */
  get absorbed(): { readonly id: string; readonly by: string }[] {
    return [...this.survivors.keys()]
      .filter((id) => !this.persons.get(id)?.isNew)
      .map((id) => ({ id, by: this.survivorOf(id) }));
  }

  private link(distinctId: string, { kind, otherId }: Link): void {
    const own = this.find(distinctId);
    const other = this.find(otherId);
    // Somebody else uses a device on which another one, known by name, was not told to leave.
    if (kind === 'identify' && other?.isIdentified && other !== own) return;
    // Who was anonymous stays the person that earlier events name, hence the id for `otherId`.
    const person = own && other ? this.merged(own, other, kind) : (own ?? other ?? this.create(otherId));
    if (!person) return;
    for (const id of [distinctId, otherId]) if (!this.personIds.has(id)) this.add(id, person);
    person.identify();
  }

  /** Who is left of the two. Null: two people known by name stay two, unless the event insists. */
  private merged(own: Person, other: Person, kind: Link['kind']): Person | null {
    if (own === other) return own;
    if (kind !== 'merge' && own.isIdentified && other.isIdentified) return null;
    const [survivor, gone] = kind === 'alias' && other.isIdentified ? [other, own] : [own, other];
    survivor.absorb(gone);
    this.survivors.set(gone.id, survivor.id);
    return survivor;
  }

  private add(distinctId: string, person: Person): void {
    this.personIds.set(distinctId, person.id);
    this.added.add(distinctId);
    person.gainDistinctId();
  }

  private create(distinctId: string): Person {
    const person = new Person({ id: this.idFor(distinctId), properties: {}, isIdentified: false }, true);
    this.persons.set(person.id, person);
    return person;
  }

  /** The person of a distinct id; null where there is none. @throws Error for one the roster was not made with */
  private find(distinctId: string): Person | null {
    const id = this.personIds.get(distinctId);
    if (id === undefined) return null;
    const person = this.persons.get(this.survivorOf(id));
    if (!person) throw new Error('The roster was made without a person that an event tells of');
    return person;
  }

  private survivorOf(id: string): string {
    let at = id;
    for (let by = this.survivors.get(at); by !== undefined; by = this.survivors.get(at)) at = by;
    return at;
  }

  private present(): Person[] {
    return [...this.persons.values()].filter(({ id }) => !this.survivors.has(id));
  }
}
