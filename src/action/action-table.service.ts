import { Injectable } from '@nestjs/common';
import {
  type ActionTable,
  cellsOf,
  MOST_CELLS,
  MOST_COLUMNS,
  type TableRow,
  TableTooLarge,
} from './domain/action-table';
import { ActionTableQueries, type TableWindow } from './persistence/action-table.queries';

/** How many actions are read at once; fewer where they are wide, by the cells that they have together. */
const ACTIONS_AT_ONCE = 400;
const CELLS_AT_ONCE = 250_000;

/** Actions as tables, of any length in the same memory but for four bytes an action (ADR 21). */
@Injectable()
export class ActionTableService {
  constructor(private readonly queries: ActionTableQueries) {}

  /**
   * Which actions the table has, and in which order, is decided now: whatever changes while it is read, none is there
   * twice or missing. Their fields are as they are when they are read; one that is deleted by then is left out.
   * @param signal ends the work, with its reason
   * @throws TableTooLarge
   */
  async table(projectId: number, window: TableWindow, signal: AbortSignal): Promise<ActionTable> {
    const ids = await this.queries.ids(projectId, window);
    const names = new Set<string>();
    const details = read(ids, ACTIONS_AT_ONCE, (some) => this.queries.details(projectId, some));
    for await (const actions of details) {
      signal.throwIfAborted();
      for (const action of actions) for (const name of cellsOf(action).keys()) names.add(name);
      if (names.size > MOST_COLUMNS) throw new TableTooLarge('columns');
      if (names.size * ids.length > MOST_CELLS) throw new TableTooLarge('cells');
    }
    const atOnce = Math.max(1, Math.min(ACTIONS_AT_ONCE, Math.floor(CELLS_AT_ONCE / (names.size + 1))));
    return { names, parts: read(ids, atOnce, (some) => this.queries.rows(projectId, some)) };
  }
}

async function* read(
  ids: Int32Array,
  atOnce: number,
  textOf: (some: Int32Array) => Promise<string>,
): AsyncGenerator<readonly TableRow[]> {
  for (let start = 0; start < ids.length; ) {
    const some = ids.subarray(start, start + atOnce);
    const rows = JSON.parse(await textOf(some)) as TableRow[];
    yield rows;
    // Where they are too large together, or some are gone, the rest follow the last that was there.
    const last = rows.length === some.length ? undefined : rows.at(-1);
    start += last ? some.indexOf(last.id) + 1 : some.length;
  }
}
