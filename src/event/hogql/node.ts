/**
 * An expression of a query, with few kinds of nodes: operators are calls of the functions that they stand for, and
 * whatever leads into `properties` is a property.
 */
export type Node = Constant | Field | Property | Call | List;

/** An integer is a bigint, a float a number: 1 is not 1.0. */
export type Value = string | bigint | number | boolean | null;

export interface Constant {
  readonly kind: 'constant';
  readonly value: Value;
}

/** A column, or what AS named. */
export interface Field {
  readonly kind: 'field';
  /** What it was written with: the table's name or its alias. */
  readonly table: string | null;
  readonly name: string;
}

export interface Property {
  readonly kind: 'property';
  readonly table: string | null;
  /** Keys of objects, and places in arrays: the first is 1, the last is -1. */
  readonly path: readonly (string | number)[];
}

export interface Call {
  readonly kind: 'call';
  readonly name: string;
  readonly args: readonly Node[];
}

/** Only as the right side of IN. */
export interface List {
  readonly kind: 'list';
  readonly items: readonly Node[];
}

/** Stands for all columns. */
export interface Asterisk {
  readonly kind: 'asterisk';
  readonly table: string | null;
}

export interface Selected {
  readonly node: Node | Asterisk;
  readonly alias: string | null;
}

export interface Query {
  readonly selected: readonly Selected[];
  readonly tableAlias: string | null;
  readonly where: Node | null;
}

export const call = (name: string, ...args: readonly Node[]): Call => ({ kind: 'call', name, args });
export const constant = (value: Value): Constant => ({ kind: 'constant', value });
