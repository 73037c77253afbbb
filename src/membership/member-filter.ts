/** The orders in which members can be listed; a dash means descending (MEM-04). */
export const MEMBER_ORDERS = [
  'joined_at',
  '-joined_at',
  'level',
  '-level',
  'updated_at',
  '-updated_at',
] as const;

export type MemberOrder = (typeof MEMBER_ORDERS)[number];

/** What a list of members is narrowed by, and its order. */
export interface MemberFilter {
  readonly order: MemberOrder;
  /** Only members whose membership changed after this moment, or null. */
  readonly updatedAfter: Date | null;
  /** Only the member with this address, whatever its case, or null. */
  readonly email: string | null;
}
