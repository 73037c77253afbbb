import { randomBytes } from 'node:crypto';
import { get as httpGet, request as httpRequest } from 'node:http';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Client } from 'pg';
import { connect, newDatabase } from './http/database';
import { CannotMeasure } from './http/options';
import { DataFolder } from './support/data-folder';
import { describeMachine } from './support/machine';
import { type Owned, owning } from './support/owned';
import { familyOf, residentMiBOf } from './support/processes';
import { builtServer, KEY, measuredEnv, ROOT, Server } from './support/server';

const USAGE = `Measures whether answers take as long with much data as with little.

  npm run bench:flat -- [--actions 1000000] [--requests 300] [--from-source]

Two servers side by side, asked in turns, one request at a time: one with 10,000 actions in 100 projects, one with
--actions in projects of 100; then a project that has --actions by itself. Databases are made on the server of
DATABASE_URL, else of an embedded PostgreSQL. Needs npm run build, unless --from-source.`;

const EACH = 100;
const FEW = 10_000;
/** Projects that the caller sees, and asks for; there are as many in both. */
const ASKED = 100;
const FIRST_PROJECT = 1_000;
const PROJECTS_OF_AN_ORGANIZATION = 10;

interface Side {
  readonly server: Server;
  readonly client: Client;
}

/** A request, of whose median time in each database the ratio is told. */
interface Path {
  readonly title: string;
  readonly method: 'GET' | 'POST' | 'PATCH';
  readonly path: (project: number, number: number) => string;
}

const of = (project: number): string => `/api/projects/${FIRST_PROJECT + project}/actions/`;
const actionOf = (project: number, number: number): number => project * EACH + (number % EACH) + 1;

const PATHS: readonly Path[] = [
  {
    title: 'GET one',
    method: 'GET',
    path: (project, number) => `${of(project)}${actionOf(project, number)}/`,
  },
  { title: 'first page', method: 'GET', path: (project) => `${of(project)}?limit=10` },
  { title: 'last page', method: 'GET', path: (project) => `${of(project)}?limit=10&offset=${EACH - 10}` },
  {
    title: 'PATCH',
    method: 'PATCH',
    path: (project, number) => `${of(project)}${actionOf(project, number)}/`,
  },
  { title: 'POST', method: 'POST', path: of },
];

const organization = (number: string): string =>
  `('01900000-0001-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;

const insertActions = (project: string, number: number, from: number): string => `
  INSERT INTO actions (id, project_id, name, description, tags, post_to_slack, slack_message_format, steps, created_at,
                       created_by_id, deleted, last_calculated_at)
  SELECT ${from} + i, ${project}, 'Action ' || i, 'What somebody did', '{growth}', false, '',
         '[{"event":"$pageview","properties":[{"key":"plan","value":"pro","operator":"exact","type":"person"}],"selector":null,"tag_name":null,"text":null,"text_matching":null,"href":null,"href_matching":null,"url":"/welcome","url_matching":"contains"}]',
         now(), (SELECT min(id) FROM users), false, now() - (i::bigint * 7919 % ${number}) * interval '1 s'
    FROM generate_series(1, ${number}) AS i`;

async function fill(client: Client, actions: number): Promise<void> {
  const projects = actions / EACH;
  await client.query(`
    INSERT INTO organizations (id, name, slug, is_member_join_email_enabled, plugins_access_level, created_at, updated_at)
    SELECT ${organization('i')}, 'Organization ' || i, 'organization-' || i, true, 3, now(), now()
      FROM generate_series(0, ${projects / PROJECTS_OF_AN_ORGANIZATION - 1}) AS i;
    INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
    SELECT gen_random_uuid(), ${organization('i')}, (SELECT min(id) FROM users), 15, now(), now()
      FROM generate_series(0, ${ASKED / PROJECTS_OF_AN_ORGANIZATION - 1}) AS i;
    INSERT INTO projects (id, uuid, organization_id, api_token, name, timezone, created_at, updated_at)
    SELECT ${FIRST_PROJECT} + i, gen_random_uuid(), ${organization(`i / ${PROJECTS_OF_AN_ORGANIZATION}`)}, 'phc_' || i,
           'Project ' || i, 'UTC', now(), now()
      FROM generate_series(0, ${projects - 1}) AS i;
    ${insertActions(`${FIRST_PROJECT} + (i - 1) / ${EACH}`, actions, 0)}`);
  await settle(client);
}

/** Ids go on behind those that were given; what would else be done while it is measured is done. */
async function settle(client: Client): Promise<void> {
  await client.query(`SELECT setval(pg_get_serial_sequence('actions', 'id'), (SELECT max(id) FROM actions))`);
  await client.query('VACUUM (ANALYZE)');
  await client.query('CHECKPOINT').catch(() => {});
}

/** @returns milliseconds until the whole answer is there */
function ask({ server }: Side, method: string, path: string, body: string | null): Promise<number> {
  const start = process.hrtime.bigint();
  const headers = {
    Authorization: `Bearer ${KEY}`,
    ...(body === null ? {} : { 'Content-Type': 'application/json' }),
  };
  return new Promise((done, fail) => {
    const request = httpRequest(server.url + path, { method, headers }, (answer) => {
      answer.resume().once('end', () => {
        if ((answer.statusCode ?? 500) < 300) done(Number(process.hrtime.bigint() - start) / 1e6);
        else fail(new CannotMeasure(`${method} ${path} answered ${answer.statusCode}`));
      });
    });
    request.once('error', fail).end(body ?? undefined);
  });
}

const median = (times: number[]): number => times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;

/** In turns, so that whatever else the machine does slows down both. @returns the medians */
async function compare(
  requests: number,
  sides: readonly [(number: number) => Promise<number>, (number: number) => Promise<number>],
): Promise<[number, number]> {
  const times: [number[], number[]] = [[], []];
  const warmUp = Math.ceil(requests / 5);
  for (let number = -warmUp; number < requests; number += 1) {
    for (const [place, side] of sides.entries()) {
      const time = await side(number + warmUp);
      if (number >= 0) times[place]?.push(time);
    }
  }
  return [median(times[0]), median(times[1])];
}

function tell(title: string, [few, many]: readonly [number, number], atMost: number | null): void {
  const target = atMost === null ? '' : `  (at most ${atMost})`;
  const times = `${few.toFixed(2).padStart(9)} ms ${many.toFixed(2).padStart(9)} ms`;
  console.log(`${title.padEnd(34)}${times} ${(many / few).toFixed(2).padStart(7)}${target}`);
}

async function serve(owned: Owned, actions: number, fromSource: boolean): Promise<Side> {
  const folder = new DataFolder();
  owned.add(() => folder.remove());
  const url = await newDatabase(owned, folder);
  const source = [process.execPath, '-r', join(ROOT, 'test/support/register.js'), join(ROOT, 'src/main.ts')];
  const server = await Server.start(owned, fromSource ? source : builtServer(), {
    ...measuredEnv(folder.path),
    DATABASE_URL: url,
    SECRET_KEY: randomBytes(32).toString('base64url'),
  });
  const client = await connect(owned, url);
  await fill(client, actions);
  return { server, client };
}

/** Everything of a project, counting what the server needs for it. */
async function table({ server }: Side, project: number): Promise<void> {
  const memory = () => residentMiBOf(familyOf(server.pid));
  const before = memory();
  const samples: number[] = [];
  let [bytes, first] = [0, 0];
  const start = Date.now();
  const watch = setInterval(() => samples.push(memory()), 50);
  try {
    await new Promise<void>((done, fail) => {
      const headers = { Authorization: `Bearer ${KEY}` };
      const request = httpGet(`${server.url}${of(project)}?format=csv`, { headers }, (answer) => {
        answer.on('data', (chunk: Buffer) => {
          first ||= Date.now() - start;
          bytes += chunk.length;
        });
        answer.once('end', done).once('error', fail);
      });
      request.once('error', fail);
    });
  } finally {
    clearInterval(watch);
  }
  const seconds = (Date.now() - start) / 1000;
  const most = (quarter: number) =>
    Math.max(...samples.slice((samples.length * quarter) / 4, (samples.length * (quarter + 1)) / 4)).toFixed(
      0,
    );
  console.log(
    `CSV of all of it: ${(bytes / 2 ** 20).toFixed(0)} MiB in ${seconds.toFixed(1)} s, the first after ` +
      `${(first / 1000).toFixed(1)} s; memory ${before.toFixed(0)} MiB before, then at most ` +
      `${[0, 1, 2, 3].map(most).join(', ')} MiB in each quarter of the time`,
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      actions: { type: 'string', default: '1000000' },
      requests: { type: 'string', default: '300' },
      'from-source': { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const [actions, requests] = [Number(values.actions), Number(values.requests)];
  if (!Number.isInteger(actions / FEW) || actions < FEW || !Number.isInteger(requests) || requests < 1) {
    throw new CannotMeasure(`--actions must be a multiple of ${FEW}, --requests a whole number from 1.`);
  }
  await owning(async (owned) => {
    const few = await serve(owned, FEW, values['from-source']);
    const many = await serve(owned, actions, values['from-source']);
    const title = `Actions, in projects of ${EACH}`;
    console.log(`${describeMachine()}, load ${loadavg()[0]?.toFixed(1)}\n`);
    console.log(`${title.padEnd(34)}${String(FEW).padStart(12)} ${String(actions).padStart(12)}   ratio`);
    for (const { title, method, path } of PATHS) {
      const side = (which: Side) => (number: number) => {
        const body = method === 'GET' ? null : JSON.stringify({ name: randomBytes(12).toString('hex') });
        return ask(which, method, path(number % ASKED, number), body);
      };
      tell(title, await compare(requests, [side(few), side(many)]), 1.3);
    }

    // A project that nobody has asked for yet.
    const [usual, large] = [ASKED - 1, ASKED - 2];
    await many.client.query(
      insertActions(`${FIRST_PROJECT + large}`, actions, 10_000_000).replace("'Action '", "'One of many '"),
    );
    await settle(many.client);
    const page = (project: number, query: string) => () => ask(many, 'GET', `${of(project)}?${query}`, null);
    console.log(
      `\n${'Actions of the project'.padEnd(34)}${String(EACH).padStart(12)} ${String(actions).padStart(12)}   ratio`,
    );
    const compared = (usualQuery: string, largeQuery: string, times: number) =>
      compare(times, [page(usual, usualQuery), page(large, largeQuery)]);
    tell('first page', await compared('limit=10', 'limit=10', requests), 3);
    tell('first page of 100', await compared('limit=100', 'limit=100', requests), 3);
    tell('last page', await compared('limit=10&offset=90', `limit=10&offset=${actions - 10}`, 10), null);
    await table(many, large);
  });
}

main().catch((error: unknown) => {
  console.error(error instanceof CannotMeasure ? error.message : error);
  process.exit(1);
});
