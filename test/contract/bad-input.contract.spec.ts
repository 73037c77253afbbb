import type { OpenAPIObject } from '@nestjs/swagger';
import fc from 'fast-check';
import { TestApi } from '../support/api';
import type { Answer } from '../support/client';
import { badValues, fieldsOf, sampleObject } from './bad-input';
import { type Operation, operationsOf, World } from './world';

const BAD_IDS = [
  'not-an-id',
  '99999999999999999999',
  '-1',
  '0',
  '%00',
  '%F0%9F%A6%94',
  '..%2F..',
  "'%20OR%201=1--",
];

/** Nothing of the server's inside may be seen: no stack, no SQL, no path of a file. */
const INSIDES = /\bat \/|node_modules|SELECT |INSERT |QueryFailed|syntax error|\.ts:\d|violates/;

jest.setTimeout(120_000);

describe('Bad input', () => {
  let api: TestApi;
  let world: World;
  let document: OpenAPIObject;
  let operations: Operation[];

  beforeAll(async () => {
    api = await TestApi.start();
    world = await World.create(api);
    document = (await api.anyone().get('/api/schema/')).body as OpenAPIObject;
    operations = operationsOf(document).filter(({ secured }) => secured);
  });
  afterAll(() => api?.stop());

  const withBody = () =>
    operations.flatMap((operation) =>
      operation.body?.properties ? [{ ...operation, body: operation.body }] : [],
    );

  const isRefusal = ({ status, body, text }: Answer) =>
    status >= 400 &&
    status < 500 &&
    typeof (body as { detail?: unknown } | null)?.detail === 'string' &&
    !INSIDES.test(text);

  it('in any field of any body is a 4xx that names the field', async () => {
    const wrong: string[] = [];
    for (const { method, path, body } of withBody()) {
      for (const field of fieldsOf(document, body)) {
        const values = [
          ...badValues(document, field.schema),
          ...(field.required ? [{ what: 'missing', value: undefined }] : []),
        ];
        for (const { what, value } of values) {
          const request = sampleObject(document, body);
          field.put(request, value);
          const answer = await world.owner.request(method, world.path(path), { body: request });
          const attr = (answer.body as { attr?: string | null } | null)?.attr ?? '';
          // INV-12 blames the whole list for what is wrong inside it.
          const named = attr.startsWith(field.attr) || attr === field.attr.split('__')[0];
          if (!isRefusal(answer) || (answer.status === 400 && !named)) {
            wrong.push(
              `${method} ${path} ${field.name} ${what}: ${answer.status} ${answer.text.slice(0, 160)}`,
            );
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('in any id of any path is a 404', async () => {
    const wrong: string[] = [];
    for (const { method, path, body } of operations.filter((operation) => operation.path.includes('{'))) {
      for (const id of BAD_IDS) {
        for (const [placeholder] of path.matchAll(/\{\w+\}/g)) {
          const url = world.path(path.replace(placeholder, id));
          const request = body ? { body: sampleObject(document, body) } : {};
          const answer = await world.owner.request(method, url, request);
          if (answer.status !== 404 || !isRefusal(answer)) {
            wrong.push(`${method} ${url}: ${answer.status} ${answer.text.slice(0, 160)}`);
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  it('as a body that is no JSON object, no JSON, or too large is a 4xx', async () => {
    const bodies: [string, string][] = [
      ['application/json', '{"name": '],
      ['application/json', '"text"'],
      ['application/json', '7'],
      ['application/json', JSON.stringify({ name: 'x'.repeat(1_100_000) })],
      ['text/plain', 'name'],
      ['application/x-www-form-urlencoded', 'name=x'],
      ['application/xml', '<name>x</name>'],
    ];
    const wrong: string[] = [];
    for (const { method, path } of withBody()) {
      for (const [type, raw] of bodies) {
        const answer = await world.owner.request(method, world.path(path), {
          raw,
          headers: { 'Content-Type': type },
        });
        if (!isRefusal(answer)) wrong.push(`${method} ${path} ${type} ${raw.slice(0, 20)}: ${answer.status}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  it('of any kind never makes the server fail', async () => {
    const anything = fc.oneof(
      { weight: 3, arbitrary: fc.string({ unit: 'binary', maxLength: 300 }) },
      fc.integer(),
      fc.double(),
      fc.boolean(),
      fc.constant(null),
      fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<unknown>,
    );
    const calls = fc.constantFrom(...withBody()).chain((operation) => {
      const names = Object.keys(operation.body.properties ?? {});
      const fields = fc.uniqueArray(fc.constantFrom(...names), { maxLength: names.length });
      return fc.tuple(fc.constant(operation), fields, fc.array(anything, { minLength: names.length }));
    });
    await fc.assert(
      fc.asyncProperty(calls, async ([{ method, path, body }, names, values]) => {
        const request = sampleObject(document, body);
        for (const [index, name] of names.entries()) request[name] = values[index];
        const answer = await world.owner.request(method, world.path(path), { body: request });
        expect({ text: answer.text, failed: answer.status >= 500 || INSIDES.test(answer.text) }).toEqual({
          text: answer.text,
          failed: false,
        });
      }),
      { seed: 20250301, numRuns: 1500 },
    );
  });
});
