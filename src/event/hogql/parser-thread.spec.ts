import { ParserThread } from './parser-thread';
import { readTree } from './syntax-tree';

const MINUTE = 60_000;
const nested = (times: number) => `SELECT ${'greatest(1, '.repeat(times)}1${')'.repeat(times)} FROM events`;

describe('the parser', () => {
  it('gives up on what takes it too long, and nobody else notices', async () => {
    const parser = new ParserThread();
    await parser.parse('SELECT 1', MINUTE);
    const began = Date.now();
    const hopeless = parser.parse(nested(200), 500);
    const next = parser.parse('SELECT 1', MINUTE);
    let turns = 0;
    const turning = setInterval(() => {
      turns += 1;
    }, 10);
    await expect(hopeless).rejects.toThrow('It is too complex');
    clearInterval(turning);
    expect(turns).toBeGreaterThan(10);
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(readTree(await next)).toMatchObject({ node: 'SelectQuery' });
  });

  it('is not worn out by what it has read', async () => {
    const parser = new ParserThread();
    const call = (depth: number): string => (depth === 0 ? 'event' : `lower(${call(depth - 1)})`);
    for (const depth of [6, 8, 10, 12, 10, 8])
      expect(readTree(await parser.parse(`SELECT ${call(depth)} FROM events`, 10_000))).toMatchObject({
        node: 'SelectQuery',
      });
  });

  it('answers each with its own', async () => {
    const parser = new ParserThread();
    const names = Array.from({ length: 20 }, (_, index) => `a${index}`);
    const trees = await Promise.all(names.map((name) => parser.parse(`SELECT ${name} FROM events`, MINUTE)));
    expect(trees.map((tree) => JSON.parse(tree).select[0].chain[0])).toEqual(names);
  });
});

it('keeps numbers as they were written', () => {
  expect(readTree('{"node":"x","a":1.0,"b":-12345678901234567890,"c":"1.0 \\" 2","d":[1e-05]}')).toEqual({
    node: 'x',
    a: { number: '1.0' },
    b: { number: '-12345678901234567890' },
    c: '1.0 " 2',
    d: [{ number: '1e-05' }],
  });
});
