export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/** The columns that a table of actions has whatever the actions are. */
const COLUMNS = [
  ...['bytecode_error', 'created_at', 'creation_context', 'deleted', 'description', 'id', 'is_action'],
  ...[
    'is_calculating',
    'last_calculated_at',
    'name',
    'pinned_at',
    'post_to_slack',
    'slack_message_format',
    'team_id',
  ],
  ...[
    'distinct_id',
    'email',
    'first_name',
    'hedgehog_config',
    'id',
    'is_email_verified',
    'last_name',
    'uuid',
  ].map((field) => `created_by.${field}`),
];

export function csvOf(actions: readonly Readonly<Record<string, Json>>[]): string {
  const rows = actions.map((action) => {
    const cells = new Map<string, string>();
    flatten('', action, cells);
    cells.delete('created_by');
    return cells;
  });
  const columns = [...new Set([...COLUMNS, ...rows.flatMap((cells) => [...cells.keys()])])].sort();
  const lines = rows.map((cells) => columns.map((column) => cells.get(column) ?? '').join(','));
  return `${[columns.join(','), ...lines].join('\r\n')}\r\n`;
}

function flatten(name: string, value: Json, cells: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) {
    cells.set(name, cellOf(value));
    return;
  }
  for (const [key, item] of Object.entries(value)) flatten(name === '' ? key : `${name}.${key}`, item, cells);
}

function cellOf(value: string | number | boolean | null): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  const text = String(value);
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
