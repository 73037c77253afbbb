import { Invalid } from '../../shared/domain/domain-error';

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** An action in its response shape, or a part of it. */
export type TableRow = Readonly<Record<string, Json>> & { readonly id: number };

/** Actions for a table: what is asked for may be a million, so they come some at a time. */
export interface ActionTable {
  /** The names of what these actions have in their lists and free-form objects, such as `steps.0.event`. */
  readonly names: ReadonlySet<string>;
  /** Each action once, in the order of the list. */
  readonly parts: AsyncIterable<readonly TableRow[]>;
}

/**
 * What a table shows of a value, by the names of its columns (ACT-18): names of nested values are joined by dots,
 * positions in lists are numbers; what is empty has no column.
 */
export function cellsOf(value: Json, name = '', cells = new Map<string, string | number | boolean | null>()) {
  if (typeof value !== 'object' || value === null) return cells.set(name, value);
  for (const [key, item] of Object.entries(value)) cellsOf(item, name === '' ? key : `${name}.${key}`, cells);
  return cells;
}

/** As many as a spreadsheet has. */
export const MOST_COLUMNS = 16_384;
/** What a table needs that is as long as the longest and no wider than actions are. */
export const MOST_CELLS = 200_000_000;

/** Unlike a page of JSON, a table has no link to the rows that it leaves out. */
export class TableTooLarge extends Invalid {
  constructor(what: 'columns' | 'cells') {
    const most = what === 'columns' ? MOST_COLUMNS : MOST_CELLS;
    super(
      'limit',
      'max_value',
      `The table would have more than ${most} ${what}. Ask for fewer actions at a time.`,
    );
  }
}

/** An action got something while the table was read for which the table has no column: it would be incomplete. */
export class TableOutdated extends Error {
  constructor(name: string) {
    super(`A table is cut off: an action has got what it has no column for, ${name}`);
  }
}
