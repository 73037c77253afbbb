import { QueryParser } from './query-parser';
import { readTree } from './syntax-tree';

const PATIENT = { reading: 60_000, waiting: null };
const nested = (times: number) => `SELECT ${'greatest(1, '.repeat(times)}1${')'.repeat(times)} FROM events`;

describe('the parser', () => {
  const parser = new QueryParser();

  it('gives up on what takes it too long, and keeps only its owner waiting', async () => {
    let isOver = false;
    const hopeless = parser.parse(nested(200), 'one', { reading: 5_000, waiting: null }).finally(() => {
      isOver = true;
    });
    const impatient = parser.parse('SELECT 1', 'one', { reading: 60_000, waiting: 10 });
    const next = parser.parse('SELECT 2', 'one', PATIENT);
    const other = await parser.parse('SELECT 3', 'other', PATIENT);
    expect([readTree(other), isOver]).toMatchObject([{ node: 'SelectQuery' }, false]);
    await expect(impatient).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'Too many HogQL queries are being read.',
    });
    await expect(hopeless).rejects.toThrow('It is too complex');
    expect(readTree(await next)).toMatchObject({ node: 'SelectQuery' });
  });

  it('is not worn out by what it has read', async () => {
    const call = (depth: number): string => (depth === 0 ? 'event' : `lower(${call(depth - 1)})`);
    for (const depth of [6, 8, 10, 12, 10, 8])
      expect(readTree(await parser.parse(`SELECT ${call(depth)} FROM events`, 'one', PATIENT))).toMatchObject(
        { node: 'SelectQuery' },
      );
  });

  it('answers each with its own', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `a${index}`);
    const trees = await Promise.all(
      names.map((name, index) => parser.parse(`SELECT ${name} FROM events`, `owner ${index % 3}`, PATIENT)),
    );
    expect(trees.map((tree) => JSON.parse(tree).select[0].chain[0])).toEqual(names);
  });
});
