import type { Asterisk, Node, Query, Selected, Value } from './node';

/** The query as HogQL, in one form however it was written: it reads back as the same query. */
export function printQuery({ selected, tableAlias, where }: Query): string {
  const from = tableAlias === null ? 'events' : `events AS ${identifier(tableAlias)}`;
  const condition = where === null ? '' : ` WHERE ${printNode(where)}`;
  return `SELECT ${selected.map(printSelected).join(', ')} FROM ${from}${condition}`;
}

const printSelected = ({ node, alias }: Selected): string =>
  alias === null ? printNode(node) : `${printNode(node)} AS ${identifier(alias)}`;

export function printNode(node: Node | Asterisk): string {
  switch (node.kind) {
    case 'constant':
      return printValue(node.value);
    case 'asterisk':
      return `${prefix(node.table)}*`;
    case 'field':
      return prefix(node.table) + identifier(node.name);
    case 'property':
      return `${prefix(node.table)}properties${node.path.map(printStep).join('')}`;
    case 'call':
      return `${node.name}(${node.args.map(printNode).join(', ')})`;
    case 'list':
      return `tuple(${node.items.map(printNode).join(', ')})`;
  }
}

const prefix = (table: string | null): string => (table === null ? '' : `${identifier(table)}.`);

/** `properties.*` is none. */
const printStep = (step: string | number): string =>
  typeof step === 'number' ? `[${step}]` : step === '*' ? `['*']` : `.${identifier(step)}`;

export function printValue(value: Value): string {
  if (typeof value === 'string') return `'${value.replace(/['\\]/g, '\\$&')}'`;
  if (typeof value === 'number') return /[.e]/.test(String(value)) ? String(value) : `${value}.0`;
  return value === null ? 'NULL' : String(value);
}

/** Words that mean something else where they stand alone. */
const RESERVED = new Set(
  (
    'all and anti any array as ascending asof between both by case cast catch cohort collate columns cross cube ' +
    'current desc descending distinct else end exclude extract false fill filter final finally fn following for ' +
    'from full fun group grouping having if ignore ilike in include inf infinity inner interpolate interval is ' +
    'join lambda leading left let like limit local nan natural not null nulls offset on or order outer over ' +
    'partition pivot positional preceding prewhere qualify range recursive replace return right rollup row rows ' +
    'sample select semi sets settings step substring then throw ties to top totals trailing trim true truncate ' +
    'try try_cast unbounded union unpivot using values when where while window with zone'
  ).split(' '),
);

function identifier(name: string): string {
  if (/^[A-Za-z_$][\w$]*$/.test(name) && !RESERVED.has(name.toLowerCase())) return name;
  return `\`${name.replace(/\\/g, '\\\\').replace(/`/g, '``')}\``;
}
