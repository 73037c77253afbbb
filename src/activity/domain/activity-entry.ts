import type { Change } from './change';

/** Something that was done to a thing of an organization. */
export interface Activity {
  readonly organizationId: string;
  /** Given when the thing belongs to one project. */
  readonly projectId?: number;
  /** The kind of thing, such as `Plugin`. */
  readonly scope: string;
  /** Its id; the entry outlives the thing. */
  readonly itemId: string;
  /** What was done, such as `installed`. */
  readonly activity: string;
  /** What the thing was called then. */
  readonly name: string | null;
  /** A narrower kind within `scope`, by which entries can be read. */
  readonly type?: string;
  /** Of an update, what it changed; never a secret. */
  readonly changes?: readonly Change[];
}

/** Who did it, and with which key. */
export interface Actor {
  readonly userId: number;
  readonly keyId: string;
}

/** An entry of the log of who changed what; it is written once, and changes only to hide what became a secret. */
export class ActivityEntry {
  private readonly organizationId: string;
  private readonly projectId: number | null;
  private readonly userId: number;
  private readonly keyId: string;
  private readonly scope: string;
  private readonly itemId: string;
  private readonly activity: string;
  private readonly detail: Readonly<Record<'name' | 'changes' | 'trigger' | 'type' | 'short_id', unknown>>;

  constructor(
    readonly id: string,
    actor: Actor,
    activity: Activity,
    private readonly createdAt: Date,
  ) {
    this.organizationId = activity.organizationId;
    this.projectId = activity.projectId ?? null;
    this.userId = actor.userId;
    this.keyId = actor.keyId;
    this.scope = activity.scope;
    this.itemId = activity.itemId;
    this.activity = activity.activity;
    this.detail = {
      name: activity.name,
      changes: activity.changes ?? null,
      trigger: null,
      type: activity.type ?? null,
      short_id: null,
    };
  }
}
