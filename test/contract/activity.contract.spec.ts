import { createDocument } from '../../src/shared/http/openapi/document';
import { TestApi } from '../support/api';
import { type Operation, operationsOf, World } from './world';

jest.setTimeout(180_000);

/** Writes that leave no entry here, and why. */
const EXCEPT: readonly [RegExp, string][] = [
  [/^capture/, 'events are what is analysed, not what is administered'],
  [/^actionsDelete$/, 'always refused'],
  [/^organizationsDelete$/, 'the log goes with the organization'],
  [/Upgrade$/, 'without an address there is nothing to upgrade to: pipeline-updates.e2e'],
  [/^signUpAccept$/, 'without a key: activity-log.e2e'],
  [/^domainsVerify$/, 'needs DNS: activity-log.e2e'],
];

const idOf = (world: World, collection: string) => world.path(`${collection}/{id}`).split('/')[1] ?? '';
const names = { name: 'Another name' };
const range = { start_at: '2025-03-01T00:00:00Z', end_at: '2025-03-02T00:00:00Z' };
const anExport = { name: 'Hourly', interval: 'hour', destination: { type: 'NoOp', config: {} } };
const aPlugin = { plugin_type: 'local', description: 'Another' };

/** What each write is asked for, so that it changes something; the first that fits its operation id. */
const BODIES: readonly [RegExp, (world: World) => unknown][] = [
  [/^personalApiKeys(Create|Replace)$/, () => ({ label: 'Another', scopes: ['action:write'] })],
  [/^personalApiKeysUpdate$/, () => ({ label: 'Another' })],
  [
    /^domains/,
    (world) => ({ domain: `d-${idOf(world, 'domains')}.example.com`, saml_entity_id: 'urn:other' }),
  ],
  [/^(members|projectMembers)(Update|Replace)$/, () => ({ level: 8 })],
  [/^invitesCreate$/, () => ({ target_email: 'new@example.com' })],
  [/^invitesBulk$/, () => [{ target_email: 'new@example.com' }]],
  [/^account/, () => ({ first_name: 'Another' })],
  [/atchExportBackfillsCreate$|atchExportsBackfill$/, () => range],
  [/atchExports(Create|Replace)$/, () => anExport],
  [/^pipeline\w+UpdateSource$/, () => ({ 'index.ts': 'export function onEvent() {}' })],
  [/^pipeline\w+(Create|Update|Replace)$/, () => aPlugin],
  [/^pluginConfigsRearrange/, (world) => ({ orders: { [idOf(world, 'plugin_configs')]: 7 } })],
  [
    /^pluginConfigs(Create|Replace)$/,
    (world) => ({ plugin: Number(idOf(world, 'pipeline_destinations')), enabled: true }),
  ],
  [/^pluginConfigsUpdate$/, () => ({ enabled: true })],
  [/(Create|Update|Replace)$/, () => names],
];

/** What has to be so before, as a path below the world's. */
const BEFORE: readonly [RegExp, string][] = [
  [/Unpause$/, '/api/organizations/{organization_id}/batch_exports/{id}/pause/'],
  [/RunsRetry$/, '/api/organizations/{organization_id}/batch_exports/{id}/runs/{run_id}/cancel/'],
];

const first = <T>(rules: readonly [RegExp, T][], { operationId }: Operation): T | undefined =>
  rules.find(([fits]) => fits.test(operationId))?.[1];

describe('Every change', () => {
  let api: TestApi;
  let writes: Operation[];

  beforeAll(async () => {
    api = await TestApi.start();
    writes = operationsOf(createDocument(api.app)).filter(({ method }) => method !== 'GET');
  });
  afterAll(() => api?.stop());

  const entries = (world: World) =>
    api.rows<{ user_id: number | null; key_id: string | null; activity: string; scope: string }>(
      'SELECT user_id, key_id, activity, scope FROM activity_log WHERE organization_id = $1 OR user_id = $2',
      [world.owner.organizationId, world.owner.user.id],
    );

  it('of any resource leaves an entry that says who made it and with which key', async () => {
    expect(writes.length).toBeGreaterThan(90);
    const silent: string[] = [];
    for (const operation of writes.filter((operation) => !first(EXCEPT, operation))) {
      const world = await World.create(api);
      const { owner } = world;
      const preparation = first(BEFORE, operation);
      if (preparation) expect((await owner.post(world.path(preparation))).status).toBe(200);
      await api.rows('TRUNCATE activity_log');
      const body = first(BODIES, operation)?.(world);
      const answer = await owner.request(operation.method, world.path(operation.path), {
        body: body as object,
      });
      expect(`${operation.operationId} ${answer.status < 300 || answer.text}`).toBe(
        `${operation.operationId} true`,
      );
      const [entry] = await entries(world);
      if (!entry) silent.push(operation.operationId);
      else expect(entry).toMatchObject({ user_id: owner.user.id, key_id: expect.any(String) });
    }
    expect(silent).toEqual([]);
  });

  it('that is refused leaves none', async () => {
    const world = await World.create(api);
    await api.rows('TRUNCATE activity_log');
    for (const operation of writes.filter((one) => one.body !== null && !first(EXCEPT, one))) {
      const answer = await world.owner.request(operation.method, world.path(operation.path), {
        body: [null],
      });
      expect(`${operation.operationId} ${answer.status}`).toMatch(/ 4\d\d$/);
    }
    expect(await entries(world)).toEqual([]);
  });
});
