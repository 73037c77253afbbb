import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { OpenAPIObject } from '@nestjs/swagger';
import { TestApi } from '../support/api';
import { REFERENCE } from './reference';
import { type Operation, operationsOf, resolved, type Schema } from './world';

const ROOT = resolve(__dirname, '../..');
const COMMITTED = join(ROOT, 'openapi.json');

/** @returns what a program prints when it fails, else nothing. */
function run(program: string, args: string[]): string {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  return status === 0 ? '' : `${stdout}${stderr}`;
}

describe('The OpenAPI document', () => {
  let api: TestApi;
  let document: OpenAPIObject;
  let operations: Operation[];

  beforeAll(async () => {
    api = await TestApi.start();
    document = (await api.anyone().get('/api/schema/')).body as OpenAPIObject;
    operations = operationsOf(document);
  });
  afterAll(() => api?.stop());

  it('is the committed one; after a change on purpose run `npm run openapi`', () => {
    const text = `${JSON.stringify(document, null, 2)}\n`;
    if (process.env.UPDATE_OPENAPI) writeFileSync(COMMITTED, text);
    expect(JSON.parse(readFileSync(COMMITTED, 'utf8'))).toEqual(document);
  });

  it.each(REFERENCE)('has %s %s with scope %s and status %i', (method, path, scope, status) => {
    const operation = operations.find((known) => known.method === method && known.path === path);
    expect(operation).toBeDefined();
    expect(operation?.scope).toBe(scope);
    expect(Object.keys(operation?.responses ?? {})).toContain(String(status));
  });

  it('has a PUT wherever there is a PATCH that changes a resource (D4)', () => {
    const patched = operations.filter(
      ({ method, path }) => method === 'PATCH' && !/(update_source|rearrange)\/$/.test(path),
    );
    const put = new Set(operations.filter(({ method }) => method === 'PUT').map(({ path }) => path));
    expect(patched.filter(({ path }) => !put.has(path)).map(({ path }) => path)).toEqual([]);
  });

  it('gives every operation a unique id that reads well, a summary and a tag', () => {
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !/^[a-z][A-Za-z]+$/.test(id))).toEqual([]);
    const nameless = operations.filter(({ summary, tags }) => !summary || !tags?.length);
    expect(nameless.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('says in every description which scope an operation needs', () => {
    const silent = operations.filter(({ scope, description }) =>
      scope ? !description?.includes(`\`${scope}\``) : !/key/.test(description ?? ''),
    );
    expect(silent.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('has no defaults in the body of a PATCH, which leaves alone what is left out', () => {
    const defaultsIn = (schema: Schema, at: string): string[] =>
      Object.entries(resolved(document, schema).properties ?? {}).flatMap(([name, field]) => [
        ...('default' in field ? [`${at}.${name}`] : []),
        ...defaultsIn(field, `${at}.${name}`),
      ]);
    const patches = operations.filter(({ method, body }) => method === 'PATCH' && body);
    expect(patches.length).toBeGreaterThan(10);
    const defaults = patches.flatMap(({ operationId, body }) => (body ? defaultsIn(body, operationId) : []));
    expect(defaults).toEqual([]);
  });

  it('gives the example of an error its own status', () => {
    const examples = Object.values(document.components?.responses ?? {}).map(
      (response) => 'content' in response && response.content?.['application/json']?.example?.code,
    );
    expect(examples.filter((code) => !code)).toEqual([]);
    expect(new Set(examples).size).toBe(examples.length);
  });

  it('gives every parameter a description', () => {
    const bare = operations.flatMap(({ operationId, parameters }) =>
      parameters.filter(({ description }) => !description).map(({ name }) => `${operationId} ${name}`),
    );
    expect(bare).toEqual([]);
  });

  it('declares each placeholder of a path, and nothing else, as a path parameter', () => {
    const wrong = operations.filter(({ path, parameters }) => {
      const declared = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name);
      const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
      return JSON.stringify([...declared].sort()) !== JSON.stringify([...named].sort());
    });
    expect(wrong.map(({ operationId }) => operationId)).toEqual([]);
  });

  it('describes every schema, and every field with an example', () => {
    const bare = Object.entries(document.components?.schemas ?? {}).flatMap(([name, schema]) => {
      const { description, properties = {} } = schema as Schema;
      const fields = Object.entries(properties).filter(([, field]) => {
        const wrapped = field.$ref ?? field.allOf;
        const nested = wrapped || field.items?.$ref;
        return !(field.description || wrapped) || (field.example === undefined && !nested);
      });
      const request = /Request$/.test(name);
      return [...(description || request ? [] : [name]), ...fields.map(([field]) => `${name}.${field}`)];
    });
    expect(bare).toEqual([]);
  });

  it('makes a TypeScript client that compiles', () => {
    const folder = mkdtempSync(join(tmpdir(), 'hedgerow-client-'));
    try {
      const schema = join(folder, 'api.d.ts');
      const bin = (name: string) => join(ROOT, 'node_modules/.bin', name);
      run(bin('openapi-typescript'), [COMMITTED, '-o', schema, '--default-non-nullable=false']);
      writeFileSync(
        join(folder, 'client.ts'),
        `import type { components, operations } from './api';
         type Body = NonNullable<operations['organizationsCreate']['requestBody']>['content']['application/json'];
         export const body: Body = { name: 'Test' };
         export const levelOf = (organization: components['schemas']['Organization']): 1 | 8 | 15 =>
           organization.membership_level;
         export const logoOf = (organization: components['schemas']['Organization']): string | null =>
           organization.logo_media_id;
         export type Pause = operations['batchExportsPause']['parameters']['path']['id'];
         // @ts-expect-error: the name is required
         export const nameless: Body = {};
        `,
      );
      const compilerOptions = { noEmit: true, strict: true, skipLibCheck: true, types: [] };
      writeFileSync(
        join(folder, 'tsconfig.json'),
        JSON.stringify({ compilerOptions, include: ['client.ts'] }),
      );
      expect(run(bin('tsc'), ['-p', folder])).toBe('');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
