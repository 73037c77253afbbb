import { v7 as uuidv7 } from 'uuid';
import { type Change, changesBetween, type Snapshot } from '../../src/activity/domain/change';
import type { Database } from './database';
import { ACTION, INSERT_ACTION, INSERT_ACTIVITY, LOCK_ACTION, UPDATE_ACTION } from './statements';

/** Who writes, and where. */
export interface Writer {
  readonly userId: number;
  readonly keyId: string;
  readonly organizationId: string;
  readonly projectId: number;
}

/** What the body of a request may have; it is believed. */
export interface ActionBody {
  readonly name?: string;
  readonly description?: string;
  readonly tags?: readonly string[];
  readonly steps?: readonly object[];
}

const NOTHING = '{}';

export function createAction(database: Database, writer: Writer, body: ActionBody): Promise<string> {
  return database.transaction(async (client) => {
    const at = new Date();
    const { name, description = '', tags = [], steps = [] } = body;
    const values = [writer.projectId, name, description, tags, JSON.stringify(steps), at, writer.userId];
    const [row] = await database.rows<{ id: number }>(INSERT_ACTION, values, client);
    const id = row?.id ?? 0;
    const after = await database.one(ACTION, [writer.projectId, id], client);
    const entry = entryOf(writer, 'created', NOTHING, after ?? NOTHING, at);
    await database.rows(INSERT_ACTIVITY, entry, client);
    return after ?? NOTHING;
  });
}

/** Null where there is no such action. */
export function updateAction(
  database: Database,
  writer: Writer,
  id: number,
  { name, description }: ActionBody,
): Promise<string | null> {
  return database.transaction(async (client) => {
    const place = [writer.projectId, id];
    const [locked] = await database.rows(LOCK_ACTION, place, client);
    if (!locked) return null;
    const before = await database.one(ACTION, place, client);
    await database.rows(UPDATE_ACTION, [...place, name, description], client);
    const after = await database.one(ACTION, place, client);
    const entry = entryOf(writer, 'updated', before ?? NOTHING, after ?? NOTHING, new Date());
    await database.rows(INSERT_ACTIVITY, entry, client);
    return after;
  });
}

/** The values of the entry that the server's own log gets; what changed is found in the same way. */
function entryOf(writer: Writer, activity: string, before: string, after: string, at: Date): unknown[] {
  const [from, to] = [before, after].map((json) => JSON.parse(json) as Snapshot);
  const changes: Change[] = changesBetween(from ?? {}, to ?? {});
  const { id, name } = to as { id: number; name: string };
  const detail = JSON.stringify({ name, changes, trigger: null, type: null, short_id: null });
  const { organizationId, projectId, userId, keyId } = writer;
  return [uuidv7(), organizationId, projectId, userId, keyId, String(id), activity, detail, at];
}
