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
  /** The values as JSON: whoever sets one property of thousands must not pay for them all. */
  private properties = new Map<string, string>();
  /** In characters of JSON, each property with the comma after it. */
  private length = 0;
  private identified: boolean;
  private changed = false;

  constructor(
    { id, properties, isIdentified }: KnownPerson,
    readonly isNew: boolean,
  ) {
    this.id = id;
    for (const [name, value] of Object.entries(properties)) this.put(name, JSON.stringify(value));
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
    return `{${Array.from(this.properties, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
  }

  /** A change that would lead to more than 128 KiB of properties is left out. */
  change({ setOnce, set, unset }: PropertyChange): void {
    const news = new Map<string, string | null>();
    for (const [name, value] of Object.entries(setOnce)) {
      if (!this.properties.has(name)) news.set(name, JSON.stringify(value));
    }
    for (const [name, value] of Object.entries(set)) news.set(name, JSON.stringify(value));
    for (const name of unset) news.set(name, null);
    this.take(news);
  }

  /** The other one turns out to be this person. Of a property that both have, this one's is kept. */
  absorb(other: Person): void {
    this.changed = true;
    if (other.properties.size <= this.properties.size) {
      this.take(new Map([...other.properties].filter(([name]) => !this.properties.has(name))));
    } else if (other.take(this.properties)) {
      // The few go to the many: a person of thousands may be absorbed by one after another.
      this.properties = other.properties;
      this.length = other.length;
    }
  }

  identify(): void {
    this.changed ||= !this.identified;
    this.identified = true;
  }

  /** Is known under another distinct id as well. */
  gainDistinctId(): void {
    this.changed = true;
  }

  /** @param news null for what is unset. Returns whether there is room for them. */
  private take(news: ReadonlyMap<string, string | null>): boolean {
    const differing = [...news].filter(([name, text]) => text !== (this.properties.get(name) ?? null));
    if (differing.length === 0) return true;
    const growth = differing.reduce(
      (sum, [name, text]) => sum + lengthOf(name, text) - lengthOf(name, this.properties.get(name) ?? null),
      0,
    );
    // Two braces, and no comma after the last.
    if (this.length + growth + 1 > MOST_PROPERTIES) return false;
    for (const [name, text] of differing) this.put(name, text);
    this.changed = true;
    return true;
  }

  private put(name: string, text: string | null): void {
    this.length += lengthOf(name, text) - lengthOf(name, this.properties.get(name) ?? null);
    if (text === null) this.properties.delete(name);
    else this.properties.set(name, text);
  }
}

const lengthOf = (name: string, text: string | null): number =>
  text === null ? 0 : JSON.stringify(name).length + text.length + 2;
