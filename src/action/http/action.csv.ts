import { stringify } from 'csv-stringify/sync';
import { Invalid } from '../../shared/domain/domain-error';

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The columns that every answer has, whatever the actions in it (D6). */
export const FIXED_COLUMNS: readonly string[] = [
  'bytecode_error',
  'created_at',
  'created_by.distinct_id',
  'created_by.email',
  'created_by.first_name',
  'created_by.hedgehog_config',
  'created_by.id',
  'created_by.is_email_verified',
  'created_by.last_name',
  'created_by.uuid',
  'creation_context',
  'deleted',
  'description',
  'id',
  'is_action',
  'is_calculating',
  'last_calculated_at',
  'name',
  'pinned_at',
  'post_to_slack',
  'slack_message_format',
  'team_id',
];

/** Unlike a page of JSON, a table has no link to the rows that it leaves out. */
export class TableTooLarge extends Invalid {
  constructor(what: string) {
    super('limit', 'max_value', `The table would have ${what}. Ask for fewer actions at a time.`);
  }
}

/** A thousand actions with filters of their own each would make a table of billions of cells, nearly all empty. */
const MOST_CELLS = 2_000_000;

/**
 * Actions as CSV (ACT-18, D6): one row each; the fixed columns and, for steps and tags, those that the actions
 * have, such as `steps.0.event` and `tags.0`, sorted. CRLF line ends, quotes where needed.
 * @throws TableTooLarge when the table would have more than two million cells
 */
export function csvOf(actions: readonly Json[]): string {
  const rows = actions.map((action) => {
    const cells = new Map<string, string>();
    flatten('', action, cells);
    // A creator who is gone leaves the columns of a creator empty.
    cells.delete('created_by');
    return cells;
  });
  const columns = [...new Set([...FIXED_COLUMNS, ...rows.flatMap((cells) => [...cells.keys()])])].sort();
  if (columns.length * rows.length > MOST_CELLS) {
    throw new TableTooLarge(`more than ${MOST_CELLS} cells`);
  }
  const table = rows.map((cells) => columns.map((column) => cells.get(column) ?? ''));
  // By itself the library quotes what has the whole line end in it, not a lone CR or LF.
  return stringify([columns, ...table], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });
}

/** Names of nested values are joined by dots, positions in lists are numbers; an empty list has no column. */
function flatten(name: string, value: Json, cells: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) {
    cells.set(name, cellOf(value));
    return;
  }
  for (const [key, item] of Object.entries(value)) flatten(name === '' ? key : `${name}.${key}`, item, cells);
}

function cellOf(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);
  return harmless(text);
}

/** A spreadsheet runs a cell that begins like a formula; an apostrophe keeps it a text (D6). */
const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
