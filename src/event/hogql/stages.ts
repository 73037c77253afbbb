import { type Computed, computedIn } from './compiled-query';
import { type Expression, ensureSize } from './expression';

/** Values that are computed at once, before they are measured: each may be as large as an event. */
const MOST_AT_ONCE = 4;

/** Puts what a query computes into the order in which it is computed. */
export class Stages {
  readonly all: Computed[][] = [];
  private count = 0;
  private size = 0;

  /** @returns the expression as what refers to its value. What is short and small stays what it is. */
  compute(expression: Expression): Expression {
    const { sql, type } = expression;
    this.size += sql.length;
    ensureSize(this.size);
    const grows = type === 'array' ? 'json' : type === 'text' || type === 'json' ? type : null;
    if (sql.length === 1 && (grows === null || expression.value !== undefined)) return expression;
    const computed: Computed = { number: this.count, sql, grows };
    this.count += 1;
    const stage = this.all.at(-1);
    const needed = computedIn(sql);
    const isReady = stage?.every(({ number }) => !needed.includes(number));
    if (stage && isReady && stage.length < MOST_AT_ONCE) stage.push(computed);
    else this.all.push([computed]);
    return { ...expression, sql: [{ computed: computed.number }] };
  }
}
