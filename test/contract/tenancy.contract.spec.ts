import { createDocument } from '../../src/shared/http/openapi/document';
import { TestApi } from '../support/api';
import { sampleObject } from './bad-input';
import { type Operation, operationsOf, World } from './world';

/** Written to by every request of a caller, whatever it is about. */
const NOISY = ['personal_api_keys', 'rate_limit_counts'];

describe('The ids of another organization', () => {
  let api: TestApi;
  let ours: World;
  let theirs: World;
  let operations: Operation[];
  let bodyOf: (operation: Operation) => object | undefined;

  beforeAll(async () => {
    api = await TestApi.start();
    [ours, theirs] = [await World.create(api), await World.create(api)];
    const document = createDocument(api.app);
    // Who holds the secret of an invite may use it, whoever they are (D23).
    operations = operationsOf(document).filter(
      ({ path }) => path.includes('{') && !path.includes('/signup/'),
    );
    bodyOf = ({ method, body }) =>
      ['POST', 'PUT', 'PATCH'].includes(method) ? (body ? sampleObject(document, body) : {}) : undefined;
  });
  afterAll(() => api.stop());

  /** Every way to put some of another's ids among one's own. */
  const mixtures = (template: string): number[][] => {
    const positions = [...template.matchAll(/\{/g)].map((_, index) => index);
    return Array.from({ length: 2 ** positions.length - 1 }, (_, bits) =>
      positions.filter((position) => (bits + 1) & (1 << position)),
    );
  };

  /** Everything that is stored, table by table. */
  const everything = async (): Promise<Record<string, string | null>> => {
    const tables = await api.rows<{ name: string }>(
      `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
        WHERE (schemaname = 'public' OR (schemaname, tablename) = ('jobs', 'job')) AND tablename <> ALL ($1) ORDER BY 1`,
      [NOISY],
    );
    const contents = await Promise.all(
      tables.map(async ({ name }) => {
        const [row] = await api.rows<{ hash: string | null }>(
          `SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) AS hash FROM ${name} AS t`,
        );
        return [name, row?.hash ?? null];
      }),
    );
    return Object.fromEntries(contents);
  };

  it('lead nowhere, in every position of every route, for every method; nothing changes and nothing is told', async () => {
    const before = await everything();
    expect(Object.keys(before).length).toBeGreaterThan(20);
    let asked = 0;
    for (const operation of operations) {
      for (const at of mixtures(operation.path)) {
        const path = ours.path(operation.path, { of: theirs, at });
        const answer = await ours.owner.request(operation.method, path, { body: bodyOf(operation) });
        const name = `${operation.method} ${operation.path} with theirs at ${at}`;
        expect(`${name}: ${answer.status} ${answer.body?.detail}`).toBe(`${name}: 404 Not found.`);
        asked += 1;
      }
    }
    expect(asked).toBeGreaterThan(150);
    expect(await everything()).toEqual(before);
  });
});
