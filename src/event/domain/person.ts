import type { PropertyChange } from './person-facts';

/** A person as it is kept. */
export interface KnownPerson {
  readonly id: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly isIdentified: boolean;
}

/** In characters of JSON, all properties of a person together. */
const MOST_PROPERTIES = 128 * 1024;

/** Somebody who causes events, under one distinct id or several. */
export class Person {
  readonly id: string;
  private properties: ReadonlyMap<string, unknown>;
  private text: string;
  private identified: boolean;
  private changed = false;

  constructor(
    { id, properties, isIdentified }: KnownPerson,
    readonly isNew: boolean,
  ) {
    this.id = id;
    this.properties = new Map(Object.entries(properties));
    this.text = textOf(this.properties);
    this.identified = isIdentified;
  }

  /** Whether it is somebody known by name, who is not taken for another one (`PersonRoster`). */
  get isIdentified(): boolean {
    return this.identified;
  }

  get hasChanged(): boolean {
    return this.changed;
  }

  /** The properties as the text of a JSON object. */
  get json(): string {
    return this.text;
  }

  /** A change that would lead to more than 128 KiB of properties is left out. */
  change({ setOnce, set, unset }: PropertyChange): void {
    const properties = new Map([...Object.entries(setOnce), ...this.properties, ...Object.entries(set)]);
    for (const name of unset) properties.delete(name);
    this.take(properties);
  }

  /** The other one turns out to be this person. Of a property that both have, this one's is kept. */
  absorb(other: Person): void {
    this.take(new Map([...other.properties, ...this.properties]));
    this.changed = true;
  }

  identify(): void {
    this.changed ||= !this.identified;
    this.identified = true;
  }

  /** Is known under another distinct id as well. */
  gainDistinctId(): void {
    this.changed = true;
  }

  private take(properties: ReadonlyMap<string, unknown>): void {
    const text = textOf(properties);
    if (text === this.text || text.length > MOST_PROPERTIES) return;
    this.properties = properties;
    this.text = text;
    this.changed = true;
  }
}

const textOf = (properties: ReadonlyMap<string, unknown>): string =>
  JSON.stringify(Object.fromEntries(properties));
