import { functionNamed } from './functions';
import type { Call, Node, Property } from './node';
import { printValue } from './print-hogql';
import { QueryMeaningless } from './query-errors';
import type { Translator } from './translate';

/** In characters, of a column. */
const LONGEST = 50_000;

/** What a comparison is where a side is null; PostHog writes it out for sides that may be. */
const WHERE_NULL: Readonly<Record<string, string>> = {
  equals: '0',
  notEquals: '1',
  less: '0',
  lessOrEquals: '0',
  greater: '0',
  greaterOrEquals: '0',
  in: '0',
  notIn: '0',
  like: '0',
  notLike: '1',
  ilike: '0',
  notILike: '1',
  match: '0',
};

const NEVER_NULL = new Set([
  ...Object.keys(WHERE_NULL),
  'isNull',
  'isNotNull',
  'concat',
  'now',
  'today',
  'yesterday',
]);
const MAY_BE_NULL = new Set(['toInt', 'toFloat', 'toUUID', 'toDate', 'toDateTime', 'nullIf']);

/** Expressions as PostHog prints them for ClickHouse: what a batch export shows of its query, and nobody runs here. */
export class ClickhousePrinter {
  /** The texts that the expressions refer to by name (BE-24). */
  readonly values: Record<string, string> = {};

  constructor(private readonly known: Pick<Translator, 'types' | 'references'>) {}

  /** @throws QueryMeaningless for what becomes too long, as the sides of a comparison may be written twice */
  print(node: Node): string {
    const printed = this.printed(node);
    if (printed.length > LONGEST) throw new QueryMeaningless('It is too large');
    return printed;
  }

  private printed(node: Node): string {
    switch (node.kind) {
      case 'constant':
        return typeof node.value === 'string' ? this.bind(node.value) : printValue(node.value);
      case 'field':
        return this.known.references.has(node) ? named(node.name) : `events.${named(node.name)}`;
      case 'property':
        return this.property(node);
      case 'list':
        return `tuple(${node.items.map((item) => this.print(item)).join(', ')})`;
      case 'call':
        return this.call(node);
    }
  }

  private readonly bind = (text: string): string => {
    const name = `hogql_val_${Object.keys(this.values).length}`;
    this.values[name] = text;
    return `%(${name})s`;
  };

  private property({ path }: Property): string {
    const steps = path.map((step) => (typeof step === 'number' ? String(step) : this.bind(step)));
    const raw = `JSONExtractRaw(events.properties, ${steps.join(', ')})`;
    return `replaceRegexpAll(nullIf(nullIf(${raw}, ''), 'null'), '^"|"$', '')`;
  }

  private call(node: Call): string {
    const { name, args } = node;
    const printed = args.map((it) => this.print(it));
    const types = args.map((it) => this.known.types.get(it) ?? 'null');
    const plain =
      functionNamed(name)?.clickhouse?.(printed, this.bind, types) ?? `${name}(${printed.join(', ')})`;
    const whereNull = WHERE_NULL[name];
    const nullable = args.filter(mayBeNull);
    if (whereNull === undefined || nullable.length === 0) return plain;
    if (nullable.length === 1 || (name !== 'equals' && name !== 'notEquals'))
      return `ifNull(${plain}, ${whereNull})`;
    const [missing, joint] = name === 'equals' ? ['isNull', 'and'] : ['isNotNull', 'or'];
    return `ifNull(${plain}, ${joint}(${printed.map((it) => `${missing}(${it})`).join(', ')}))`;
  }
}

function mayBeNull(node: Node): boolean {
  if (node.kind === 'constant') return node.value === null;
  if (node.kind === 'property') return true;
  if (node.kind !== 'call') return false;
  return MAY_BE_NULL.has(node.name) || (!NEVER_NULL.has(node.name) && node.args.some(mayBeNull));
}

const named = (name: string): string =>
  /^[A-Za-z_][\w]*$/.test(name) ? name : `\`${name.replace(/[\\`]/g, '\\$&')}\``;
