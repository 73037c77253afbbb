import { hash, randomBytes } from 'node:crypto';
import { Invalid } from '../../shared/domain/domain-error';
import { changed, ExpiryInThePast, type KeyGrant, refuseBeyond } from './key-grant';

const PREFIX = 'phx_';
const RANDOM_BYTES = 35;
const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random bytes as digits and letters, so that they can be selected with a double click and put in a URL. */
export function randomBase62(bytes: number): string {
  let number = BigInt(`0x${randomBytes(bytes).toString('hex')}`);
  let text = '';
  while (number > 0n) {
    text = `${BASE_62[Number(number % 62n)]}${text}`;
    number /= 62n;
  }
  return text;
}

/** Secrets are looked up by hash: they are random and long, so that a plain SHA-256 is enough (D11). */
export const hashOfSecret = (secret: string): Buffer => hash('sha256', secret, 'buffer');

const MOST_OF_A_USER = 100;

export class TooManyKeys extends Invalid {
  constructor() {
    super(
      null,
      'invalid_input',
      `You can only have ${MOST_OF_A_USER} personal API keys. Remove an existing key before creating a new one.`,
    );
  }
}

export interface NewKeyIdentity {
  readonly id: string;
  readonly userId: number;
  readonly value: string;
}

/** A user's key. Its value is known to the caller who made it alone; here there is only its hash (D11). */
export class PersonalApiKey {
  private label: string;
  private scopes: string[];
  private scopedOrganizations: string[];
  private scopedTeams: number[];
  private expiresAt: Date | null;
  private valueHash: Buffer;
  private maskValue: string;
  private lastUsedAt: Date | null = null;
  private lastRolledAt: Date | null = null;

  private constructor(
    readonly id: string,
    readonly userId: number,
    value: string,
    grant: KeyGrant,
    private readonly createdAt: Date,
  ) {
    this.label = grant.label;
    this.scopes = [...grant.scopes];
    this.scopedOrganizations = [...grant.scopedOrganizations];
    this.scopedTeams = [...grant.scopedTeams];
    this.expiresAt = grant.expiresAt;
    this.valueHash = hashOfSecret(value);
    this.maskValue = masked(value);
  }

  /** A new value: `phx_` and 35 random bytes (KEY-03). */
  static newValue(): string {
    return PREFIX + randomBase62(RANDOM_BYTES);
  }

  /** A key that the server itself gives; see `delegate` for those that callers make. */
  static issue(id: string, userId: number, value: string, grant: KeyGrant, at: Date): PersonalApiKey {
    return new PersonalApiKey(id, userId, value, grant, at);
  }

  /**
   * A key that the operator gives its user, who has `siblings` beside the new one.
   * @throws TooManyKeys (KEY-07), ExpiryInThePast
   */
  static give(siblings: number, key: NewKeyIdentity, grant: KeyGrant, at: Date): PersonalApiKey {
    if (siblings >= MOST_OF_A_USER) throw new TooManyKeys();
    if (grant.expiresAt !== null && grant.expiresAt <= at) throw new ExpiryInThePast();
    return new PersonalApiKey(key.id, key.userId, key.value, grant, at);
  }

  /**
   * A key that its user makes with another of theirs, which grants `by`.
   * @throws TooManyKeys (KEY-07), ExpiryInThePast, Forbidden when it would have more than `by`
   */
  static delegate(
    by: KeyGrant,
    siblings: number,
    key: NewKeyIdentity,
    grant: KeyGrant,
    at: Date,
  ): PersonalApiKey {
    const made = PersonalApiKey.give(siblings, key, grant, at);
    refuseBeyond(by, grant);
    return made;
  }

  /** What the key grants now. */
  grant(): KeyGrant {
    const { label, scopes, scopedOrganizations, scopedTeams, expiresAt } = this;
    return { label, scopes, scopedOrganizations, scopedTeams, expiresAt };
  }

  /**
   * Changes the fields that are given. A key that already grants more than `by` is out of reach of its holder.
   * @throws ExpiryInThePast, Forbidden when it has or would have more than `by`
   */
  change(asked: Partial<KeyGrant>, by: KeyGrant, at: Date): void {
    refuseBeyond(by, this.grant());
    const grant = changed(this.grant(), asked);
    // A caller that sends the whole key back, expired as it is, changes nothing about that.
    const moved = grant.expiresAt?.getTime() !== this.expiresAt?.getTime();
    if (moved && grant.expiresAt !== null && grant.expiresAt <= at) throw new ExpiryInThePast();
    refuseBeyond(by, grant);
    this.label = grant.label;
    this.scopes = [...grant.scopes];
    this.scopedOrganizations = [...grant.scopedOrganizations];
    this.scopedTeams = [...grant.scopedTeams];
    this.expiresAt = grant.expiresAt;
  }

  /**
   * The old value stops working, the new one works at once. Whoever rolls a key then holds it, so that it must
   * not grant more than `by`. @throws Forbidden
   */
  roll(value: string, by: KeyGrant, at: Date): void {
    refuseBeyond(by, this.grant());
    this.valueHash = hashOfSecret(value);
    this.maskValue = masked(value);
    this.lastRolledAt = at;
  }
}

/** First and last four characters (KEY-02). */
const masked = (value: string): string => `${value.slice(0, 4)}...${value.slice(-4)}`;
