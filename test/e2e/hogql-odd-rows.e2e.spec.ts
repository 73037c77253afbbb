import fc from 'fast-check';
import {
  compileQuery as compileQueryOf,
  recompileQuery,
  translateQuery,
} from '../../src/event/hogql/compile-query';
import type { CompiledQuery } from '../../src/event/hogql/compiled-query';
import { FUNCTION_NAMES, functionNamed } from '../../src/event/hogql/functions/index';
import { type Call, call, constant, type Node } from '../../src/event/hogql/node';
import { Invalid } from '../../src/shared/domain/domain-error';
import { HogqlDatabase } from '../support/hogql';
import { ODD_EVENTS, ODD_TEXTS } from '../support/odd-events';

const compileQuery = (text: string) => compileQueryOf(text, 'somebody');

const field = (name: string): Node => ({ kind: 'field', table: null, name });
const property = (...path: (string | number)[]): Node => ({ kind: 'property', table: null, path });

/** Of every type, and as odd as their type allows. */
const LEAVES: readonly Node[] = [
  ...['uuid', 'event', 'properties', 'distinct_id', 'team_id', 'timestamp', 'created_at', 'person_id'].map(
    field,
  ),
  field('elements_chain'),
  ...['text', 'number', 'flag', 'nothing', 'missing', 'list'].map((name) => property(name)),
  ...[property('list', 1), property('list', 2), property('list', -1, 'text'), property('', '')],
  ...[0n, 1n, -1n, 3n, 2n ** 63n - 1n, -(2n ** 63n), 10n ** 12n].map(constant),
  ...[0, 0.5, -1.5, 1e308, -1e308, 1e-308, 5e-324, 1e15].map(constant),
  ...[null, true, false].map(constant),
  ...ODD_TEXTS.filter((text) => text.length < 50).map(constant),
  ...[
    'second',
    'day',
    'week',
    'month',
    'year',
    'quarter',
    '%Y-%m',
    'a.*b',
    '^(a|b)+$',
    '2024-02-29 12:00:00',
  ].map(constant),
  call('toFloat', property('text')),
  call('toInt', property('text')),
  call('toDateTime', property('text')),
  call('toDate', field('timestamp')),
  call('toDate', property('text')),
  call('splitByChar', constant(','), field('event')),
  call('toIntervalDay', call('toInt', property('text'))),
  call('toIntervalMonth', field('team_id')),
  call('toIntervalSecond', field('team_id')),
];

const queryOf = (...nodes: readonly Node[]) => ({
  selected: nodes.map((node, index) => ({ node, alias: `c${index}` })),
  tableAlias: null,
  where: null,
});

/** The right side of IN is a list. */
const callOf = (name: string, [left, ...right]: readonly Node[]): Call =>
  (name === 'in' || name === 'notIn') && left
    ? call(name, left, { kind: 'list', items: right })
    : call(name, ...(left ? [left, ...right] : []));

/** An interval is nothing by itself. */
const exportable = (node: Call): Node =>
  node.name.startsWith('toInterval') ? call('plus', field('timestamp'), node) : node;

/** Null for what is refused, which it must be by a reason. */
function translated(node: Node): CompiledQuery | null {
  try {
    return translateQuery(queryOf(node));
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    expect(error).toMatchObject({ kind: 'invalid', code: 'invalid_input', attr: 'hogql_query' });
    return null;
  }
}

const name = fc.constantFrom(...FUNCTION_NAMES);
const { tree } = fc.letrec<{ tree: Node }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', maxDepth: 4, withCrossShrink: true },
    fc.constantFrom(...LEAVES),
    name.chain((called) => {
      const { least = 0, most = 0 } = functionNamed(called) ?? {};
      const args = fc.array(tie('tree'), { minLength: least, maxLength: Math.min(most, least + 2) });
      return args.map((nodes) => callOf(called, nodes));
    }),
  ),
}));

describe('queries over odd events', () => {
  let database: HogqlDatabase;

  beforeAll(async () => {
    database = await HogqlDatabase.start(ODD_EVENTS);
  });
  afterAll(() => database.stop());

  const executed = async (nodes: readonly Node[]) => {
    const query = translateQuery(queryOf(...nodes));
    const records = await database.records(query);
    expect(records).toHaveLength(ODD_EVENTS.length);
    expect(await database.mistyped(query)).toEqual([]);
    // Infinities and what is no number are not JSON, and what PostgreSQL writes for them is text.
    const floats = query.columns.filter(({ type }) => type === 'float').map(({ name: column }) => column);
    for (const record of records)
      for (const column of floats)
        expect([null, 'number']).toContain(record[column] === null ? null : typeof record[column]);
  };

  it.each(FUNCTION_NAMES)('never fail in %s', async (called) => {
    const { least = 0, most = 0 } = functionNamed(called) ?? {};
    const calls = fc
      .sample(
        fc.array(fc.constantFrom(...LEAVES), { minLength: least, maxLength: Math.min(most, least + 2) }),
        { numRuns: 1_000, seed: 7 },
      )
      .map((args) => exportable(callOf(called, args)))
      .filter((node) => translated(node) !== null)
      .slice(0, 80);
    expect(calls.length).toBeGreaterThan(0);
    for (let from = 0; from < calls.length; from += 40) await executed(calls.slice(from, from + 40));
  });

  it('never fail, however the functions are combined', async () => {
    let executions = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 20, maxLength: 20 }), async (nodes) => {
        const sound = nodes.filter((node) => translated(node) !== null);
        executions += sound.length;
        if (sound.length > 0) await executed(sound);
      }),
      { numRuns: 150 },
    );
    expect(executions).toBeGreaterThan(500);
  }, 120_000);

  it('make no text longer than 4 MiB', async () => {
    const large = await HogqlDatabase.start([{ properties: { text: 'x,'.repeat(1_500_000) } }]);
    const doubled = 'concat(properties.text, properties.text)';
    const query = await compileQuery(`SELECT
      length(properties.text) AS whole, length(${doubled}) AS twice,
      replaceAll(properties.text, 'x', properties.text) AS product, length(replaceAll(properties.text, ',', '')) AS half,
      replaceOne(properties.text, 'x', properties.text) AS once,
      arrayStringConcat(splitByChar(',', properties.text), 'longer') AS parts FROM events`);
    const [record] = await large.records(query);
    await large.stop();
    expect(record).toEqual({
      ...{ whole: 3_000_000, twice: null, product: null, half: 1_500_000, once: null, parts: null },
    });
  });

  it('mean the same when they are written out and read again', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(tree, { minLength: 5, maxLength: 5 }), async (nodes) => {
        const sound = nodes.filter((node) => translated(node) !== null);
        if (sound.length === 0) return;
        const query = translateQuery(queryOf(...sound));
        expect(await recompileQuery(query.schema.hogql_query)).toEqual(query);
      }),
      { numRuns: 25 },
    );
  }, 120_000);
});
