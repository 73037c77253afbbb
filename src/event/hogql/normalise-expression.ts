import { spelled } from './functions';
import { call, constant, type Node } from './node';
import { QueryMeaningless, QueryUnsupported, shown } from './query-errors';
import { isNode, isNumber, type SyntaxNode } from './syntax-tree';

export interface Scope {
  /** What the query calls `events`. */
  readonly tableAlias: string | null;
}

/** Deeper than anybody writes by hand, and far less than what a stack holds. */
const DEEPEST = 100;

const MOST_NEGATIVE = -(2n ** 63n);
const MOST_POSITIVE = 2n ** 63n - 1n;

const ARITHMETIC: Readonly<Record<string, string>> = {
  '+': 'plus',
  '-': 'minus',
  '*': 'multiply',
  '/': 'divide',
  '%': 'modulo',
};

const COMPARISONS: Readonly<Record<string, string>> = {
  '==': 'equals',
  '!=': 'notEquals',
  '<': 'less',
  '<=': 'lessOrEquals',
  '>': 'greater',
  '>=': 'greaterOrEquals',
  like: 'like',
  'not like': 'notLike',
  ilike: 'ilike',
  'not ilike': 'notILike',
  in: 'in',
  'not in': 'notIn',
};

type Rule = (node: SyntaxNode, scope: Scope, next: (node: unknown) => Node) => Node;

/** What each kind of syntax becomes. */
const RULES: Readonly<Record<string, Rule>> = {
  Constant: ({ value, value_type }) => constantOf(value, value_type),
  Field: ({ chain }, scope) => fieldOf(chain as string[], scope),
  Call: (node, _, next) => callOf(node, next),
  And: ({ exprs }, _, next) => call('and', ...(exprs as unknown[]).map(next)),
  Or: ({ exprs }, _, next) => call('or', ...(exprs as unknown[]).map(next)),
  Not: ({ expr }, _, next) => call('not', next(expr)),
  ArithmeticOperation: ({ op, left, right }, _, next) =>
    call(ARITHMETIC[String(op)] ?? refuse(`The operator ${op} is`), next(left), next(right)),
  CompareOperation: (node, _, next) => comparisonOf(node, next),
  IsDistinctFrom: ({ left, right, negated }, _, next) =>
    call(negated ? 'equals' : 'notEquals', next(left), next(right)),
  BetweenExpr: ({ expr, low, high, negated }, _, next) => {
    const [node, least, most] = [next(expr), next(low), next(high)];
    return negated
      ? call('or', call('less', node, least), call('greater', node, most))
      : call('and', call('greaterOrEquals', node, least), call('lessOrEquals', node, most));
  },
  ArrayAccess: ({ array, property }, _, next) => accessOf(next(array), next(property)),
  TupleAccess: ({ tuple, index }, _, next) => accessOf(next(tuple), constantOf(index, null)),
  Tuple: ({ exprs }, _, next) => listOf((exprs as unknown[]).map(next)),
  Array: ({ exprs }, _, next) => listOf((exprs as unknown[]).map(next)),
};

/** Kinds of syntax as they are named in an error. */
const REFUSED: Readonly<Record<string, string>> = {
  Alias: 'AS inside of an expression is',
  SelectQuery: 'A subquery is',
  SelectSetQuery: 'A subquery is',
  Lambda: 'A lambda is',
  WindowFunction: 'A window function is',
  TypeCast: 'A cast (use toString, toInt, toFloat and their like) is',
  TryCast: 'A cast (use toString, toInt, toFloat and their like) is',
  ArraySlice: 'A slice of an array is',
  Dict: 'A dictionary is',
  Placeholder: 'A placeholder is',
  ColumnsExpr: 'COLUMNS is',
  HogQLXTag: 'A tag is',
  ExprCall: 'Calling what is no function is',
  NamedArgument: 'A named argument is',
};

function refuse(what: string): never {
  throw new QueryUnsupported(what);
}

/** @throws QueryInvalid for what is not supported wherever it stands */
export function normaliseExpression(tree: unknown, scope: Scope, depth = 0): Node {
  if (depth > DEEPEST) throw new QueryMeaningless('It is nested too deeply');
  if (!isNode(tree)) throw new QueryMeaningless('An expression is missing');
  const rule = Object.hasOwn(RULES, tree.node) ? RULES[tree.node] : undefined;
  if (!rule) return refuse(REFUSED[tree.node] ?? `${tree.node} is`);
  return rule(tree, scope, (node) => normaliseExpression(node, scope, depth + 1));
}

function constantOf(value: unknown, type: unknown): Node {
  if (typeof value === 'string' && type === 'number') return outOfRange(value);
  if (typeof value === 'string') return constant(value);
  if (isNumber(value)) {
    if (!/^-?\d+$/.test(value.number)) return constant(Number(value.number) || 0);
    const integer = BigInt(value.number);
    return integer < MOST_NEGATIVE || integer > MOST_POSITIVE ? outOfRange(value.number) : constant(integer);
  }
  return constant(typeof value === 'boolean' ? value : null);
}

function outOfRange(number: string): never {
  throw new QueryMeaningless(`Number out of range: ${shown(number)}`);
}

/** A column, what AS named, or a property. */
function fieldOf(chain: readonly string[], { tableAlias }: Scope): Node {
  const [first = '', ...rest] = chain;
  const [table, name, ...path] =
    rest.length > 0 && first === (tableAlias ?? 'events') ? [first, ...rest] : [null, first, ...rest];
  if (name === undefined) throw unresolved(chain);
  if (path.length === 0) return { kind: 'field', table, name };
  if (name !== 'properties' || path.includes('*')) throw unresolved(chain);
  return { kind: 'property', table, path };
}

export const unresolved = (chain: readonly string[]) =>
  new QueryMeaningless(`Unable to resolve field: ${shown(chain.join('.'))}`);

function callOf({ name, args, ...extras }: SyntaxNode, next: (node: unknown) => Node): Node {
  const called = spelled(String(name));
  const nodes = (args as unknown[]).map(next);
  if (extras.distinct) return refuse(`DISTINCT in ${shown(called)}(...) is`);
  if (extras.filter_expr) return refuse(`FILTER after ${shown(called)}(...) is`);
  if (extras.order_by) return refuse(`ORDER BY in ${shown(called)}(...) is`);
  if (extras.params) return refuse(`A second list of arguments, as in ${shown(called)}(...)(...), is`);
  if (called === 'tuple') return listOf(nodes);
  if (called !== 'in' && called !== 'notIn') return call(called, ...nodes);
  if (nodes.length === 2) return call(called, ...membership(nodes));
  throw new QueryMeaningless(`${called}(...) expects 2 arguments, found ${nodes.length}`);
}

const listOf = (items: readonly Node[]): Node => ({ kind: 'list', items });

/** `x IN (1)` is `x IN 1` to the parser. */
const membership = ([left, right]: readonly Node[]): Node[] =>
  left && right ? [left, right.kind === 'list' ? right : listOf([right])] : [];

function comparisonOf({ op, left, right }: SyntaxNode, next: (node: unknown) => Node): Node {
  const operator = String(op);
  const operands = [next(left), next(right)];
  const [given, pattern] = operands;
  if (operator === '==' || operator === '!=') {
    const compared = operands.filter((node) => node.kind !== 'constant' || node.value !== null);
    const [only] = compared;
    if (only && compared.length === 1) return call(operator === '==' ? 'isNull' : 'isNotNull', only);
  }
  if (/^[=!]~\*?$/.test(operator) && given && pattern) {
    const found = call('match', given, operator.endsWith('*') ? ignoringCase(pattern) : pattern);
    return operator.startsWith('!') ? call('not', found) : found;
  }
  const name = COMPARISONS[operator] ?? refuse(`The operator ${operator.toUpperCase()} is`);
  return call(name, ...(name === 'in' || name === 'notIn' ? membership(operands) : operands));
}

const ignoringCase = (pattern: Node): Node =>
  pattern.kind === 'constant' && typeof pattern.value === 'string'
    ? constant(`(?i)${pattern.value}`)
    : call('concat', constant('(?i)'), pattern);

/** Of a property it is the one further in. */
function accessOf(of: Node, at: Node): Node {
  const key = at.kind === 'constant' ? at.value : null;
  if (key === 0n) throw new QueryMeaningless('Arrays are counted from 1');
  const step = typeof key === 'bigint' ? Number(key) : key;
  if (typeof key !== 'string' && typeof key !== 'bigint') return call('arrayElement', of, at);
  if (of.kind === 'property') return { ...of, path: [...of.path, step as string | number] };
  const isWhole = of.kind === 'field' && of.name === 'properties' && typeof step === 'string';
  return isWhole ? { kind: 'property', table: of.table, path: [step] } : call('arrayElement', of, at);
}
