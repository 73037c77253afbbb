import { stringify } from 'csv-stringify/sync';
import { type ActionTable, cellsOf, TableOutdated, type TableRow } from '../domain/action-table';

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

/**
 * One action as CSV (ACT-18, D6): the fixed columns and, for steps and tags, those that it has, such as
 * `steps.0.event` and `tags.0`, sorted. CRLF line ends, quotes where needed.
 */
export function csvOf(action: TableRow): string {
  const cells = textsOf(action);
  const columns = sorted(cells.keys());
  return lines([columns, columns.map((column) => cells.get(column) ?? '')]);
}

/** Actions as CSV, one row each, as `csvOf`; the first text has the header and the first rows. */
export async function* csvTexts({ names, parts }: ActionTable): AsyncGenerator<string> {
  const columns = sorted(names);
  const known = new Set(columns);
  let text = lines([columns]);
  for await (const actions of parts) {
    const rows = actions.map((action) => {
      const cells = textsOf(action);
      for (const name of cells.keys()) if (!known.has(name)) throw new TableOutdated(name);
      return columns.map((column) => cells.get(column) ?? '');
    });
    yield text + lines(rows);
    text = '';
  }
  if (text !== '') yield text;
}

const sorted = (names: Iterable<string>): string[] => [...new Set([...FIXED_COLUMNS, ...names])].sort();

/** By itself the library quotes what has the whole line end in it, not a lone CR or LF. */
const lines = (rows: readonly string[][]): string =>
  stringify([...rows], { record_delimiter: '\r\n', quoted_match: /[\r\n]/ });

function textsOf(action: TableRow): Map<string, string> {
  const texts = new Map<string, string>();
  for (const [name, value] of cellsOf(action)) texts.set(name, textOf(value));
  // A creator who is gone leaves the columns of a creator empty.
  texts.delete('created_by');
  return texts;
}

function textOf(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value);
  return harmless(text);
}

/** A spreadsheet runs a cell that begins like a formula; an apostrophe keeps it a text (D6). */
const harmless = (text: string): string => (/^[=+\-@\t\r]/.test(text) ? `'${text}` : text);
