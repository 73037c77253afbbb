import { createHash, randomBytes } from 'node:crypto';

const PREFIX = 'phx_';
const RANDOM_BYTES = 35;
const BASE_62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** What a key may do and where; empty lists do not restrict. */
export interface KeyGrant {
  readonly label: string;
  readonly scopes: readonly string[];
  readonly scopedOrganizations: readonly string[];
  readonly scopedTeams: readonly number[];
  readonly expiresAt: Date | null;
}

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
export const hashOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();

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

  static issue(id: string, userId: number, value: string, grant: KeyGrant, at: Date): PersonalApiKey {
    return new PersonalApiKey(id, userId, value, grant, at);
  }

  /** The key's grants as they are, to change a part of them. */
  grant(): KeyGrant {
    const { label, scopes, scopedOrganizations, scopedTeams, expiresAt } = this;
    return { label, scopes, scopedOrganizations, scopedTeams, expiresAt };
  }

  change(grant: KeyGrant): void {
    this.label = grant.label;
    this.scopes = [...grant.scopes];
    this.scopedOrganizations = [...grant.scopedOrganizations];
    this.scopedTeams = [...grant.scopedTeams];
    this.expiresAt = grant.expiresAt;
  }

  /** The old value stops working, the new one works at once. */
  roll(value: string, at: Date): void {
    this.valueHash = hashOfSecret(value);
    this.maskValue = masked(value);
    this.lastRolledAt = at;
  }
}

/** First and last four characters (KEY-02). */
const masked = (value: string): string => `${value.slice(0, 4)}...${value.slice(-4)}`;
