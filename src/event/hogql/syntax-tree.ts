import { QueryMeaningless } from './query-errors';

/** The numbers of a tree keep the form in which they were written: 1.0 is a float, and an integer has all its digits. */
export interface NumberText {
  readonly number: string;
}

/** What the parser makes of a query; kinds and fields that are not here are refused by name. */
export interface SyntaxNode {
  readonly node: string;
  readonly [field: string]: unknown;
}

export interface SyntaxFailure {
  readonly error: true;
  readonly type: string;
  readonly message: string;
}

const NUMBERS = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** @throws QueryMeaningless for what PostgreSQL cannot hold */
export function readTree(json: string): SyntaxNode | SyntaxFailure {
  const exact = json.replace(NUMBERS, (token) => (token.startsWith('"') ? token : `{"number":"${token}"}`));
  return JSON.parse(exact, (_, value: unknown) => {
    if (typeof value !== 'string' || !value.includes('\0')) return value;
    throw new QueryMeaningless('NUL characters are not supported');
  }) as SyntaxNode | SyntaxFailure;
}

export const isNumber = (value: unknown): value is NumberText =>
  typeof value === 'object' && value !== null && 'number' in value;

export const isNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null && 'node' in value && typeof value.node === 'string';
