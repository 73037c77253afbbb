import { bounded, type Change } from './change';

/** A thing of an organization to which something can be done. */
export interface Subject {
  readonly organizationId: string;
  /** Given when the thing belongs to one project. */
  readonly projectId?: number;
  /** The kind of thing, such as `Plugin`. */
  readonly scope: string;
  /** Its id; the entry outlives the thing. */
  readonly itemId: string;
  /** What the thing was called then. */
  readonly name: string | null;
  /** A narrower kind within `scope`, by which entries can be read. */
  readonly type?: string;
}

/** Something that was done to it. */
export interface Activity extends Subject {
  /** What was done, such as `installed`. */
  readonly activity: string;
  /** What that changed; never a secret. */
  readonly changes?: readonly Change[];
}

/** What set something off where it was no person. */
export interface Trigger {
  readonly job_type: string;
  readonly job_id: string;
}

/** Who did it, and with which key if with one; or what did. */
export interface Actor {
  readonly userId: number | null;
  readonly keyId: string | null;
  readonly trigger: Trigger | null;
}

/** An entry of the log of who changed what; it is written once, and changes only to hide what became a secret. */
export class ActivityEntry {
  readonly organization_id: string;
  readonly project_id: number | null;
  readonly user_id: number | null;
  readonly key_id: string | null;
  readonly scope: string;
  readonly item_id: string;
  readonly activity: string;
  readonly detail: Readonly<Record<'name' | 'changes' | 'trigger' | 'type' | 'short_id', unknown>>;

  constructor(
    readonly id: string,
    actor: Actor,
    activity: Activity,
    readonly created_at: Date,
  ) {
    this.organization_id = activity.organizationId;
    this.project_id = activity.projectId ?? null;
    this.user_id = actor.userId;
    this.key_id = actor.keyId;
    this.scope = activity.scope;
    this.item_id = activity.itemId;
    this.activity = activity.activity;
    this.detail = {
      name: activity.name,
      changes: activity.changes ? bounded(activity.changes) : null,
      trigger: actor.trigger && { ...actor.trigger, payload: {} },
      type: activity.type ?? null,
      short_id: null,
    };
  }
}
