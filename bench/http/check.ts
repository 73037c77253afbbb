import { once } from 'node:events';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from 'pg';
import { CannotMeasure } from './options';
import { headersOf, type Path, type Requests } from './paths';
import type { Measured } from './servers';
import type { World } from './world';

type Headers = Readonly<Record<string, string | undefined>>;

/** What must be the same in the answers of two servers. */
interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
  /** Which of its own the server sends. */
  readonly own: Headers;
  /** Of a write: what it left in the log of who changed what. */
  readonly activity: string;
}

const HEADERS = ['content-type', 'etag', 'cache-control', 'www-authenticate'];

/** Without these the server would have left out work that callers rely on. */
const OWN_HEADERS = ['x-request-id', 'x-content-type-options', 'content-security-policy'];

const TAKE_ACTIVITY = `
  WITH taken AS (DELETE FROM activity_log RETURNING *)
  SELECT coalesce(json_agg(json_build_array(organization_id, project_id, user_id, key_id, scope, item_id, activity,
                                            detail)), '[]')::text AS entries FROM taken`;

/**
 * That the servers answer a path alike: byte for byte, but a baseline whose JSON Node makes, which has other blanks.
 * @throws CannotMeasure
 */
export async function checkPath(
  path: Path,
  [hedgerow, ...baselines]: readonly Measured[],
  world: World,
  client: Client,
): Promise<void> {
  if (!hedgerow) return;
  const right = await answerOf(hedgerow, path, world, client);
  checkOwn(path, right);
  for (const baseline of baselines) {
    const other = await answerOf(baseline, path, world, client);
    for (const part of ['status', 'headers', 'body', 'activity'] as const) {
      const [expected, actual] = [right[part], other[part]].map((value) =>
        typeof value === 'string' ? value : JSON.stringify(value, null, 1),
      ) as [string, string];
      const isSame = expected === actual || (baseline.name === 'node' && sameJson(part, expected, actual));
      if (!isSame) {
        throw new CannotMeasure(
          `${path.title}: the baseline (${baseline.name}) answers another ${part}.\n${difference(expected, actual)}`,
        );
      }
    }
  }
}

async function answerOf({ url }: Measured, path: Path, world: World, client: Client): Promise<Answer> {
  const requests = path.requests(world);
  if (path.undo) await client.query(TAKE_ACTIVITY);
  const answer = await ask(url, requests);
  if (!path.undo) return { ...answer, activity: '' };
  const { text: undo, values } = path.undo(world);
  await client.query(undo, [...values]);
  const { rows } = await client.query<{ entries: string }>(TAKE_ACTIVITY);
  const alike = requests.method === 'POST' ? withoutIdentity(answer.body) : (part: string) => part;
  return { ...answer, body: alike(answer.body), activity: alike(rows[0]?.entries ?? '') };
}

async function ask(url: string, requests: Requests) {
  const { method, paths, body } = requests;
  const headers = headersOf(requests);
  const sent = request(url + paths[0], { method, headers }).end(body?.replace('{n}', '0'));
  const [answer] = await once(sent, 'response');
  const headersNamed = (names: readonly string[]): Headers =>
    Object.fromEntries(names.map((name) => [name, answer.headers[name]]));
  return {
    status: answer.statusCode as number,
    headers: headersNamed(HEADERS),
    own: headersNamed(OWN_HEADERS),
    body: await text(answer),
  };
}

/** Of two things that were created one after the other, the id and the times differ. */
const withoutIdentity = (body: string) => {
  const id = /"id":(\d+)/.exec(body)?.[1] ?? '';
  return (part: string) =>
    part.replaceAll(new RegExp(`\\b${id}\\b`, 'g'), '0').replaceAll(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"TIME"');
};

function checkOwn({ title, status, shows }: Path, answer: Answer): void {
  if (answer.status !== status) {
    throw new CannotMeasure(`${title}: answered ${answer.status} in place of ${status}.\n${answer.body}`);
  }
  const missing = OWN_HEADERS.filter((name) => answer.own[name] === undefined);
  if (missing.length > 0) throw new CannotMeasure(`${title}: the answer has no ${missing.join(', ')}.`);
  if (shows === undefined) return;
  const { count, results } = JSON.parse(answer.body) as { count: number; results: unknown[] };
  if (results.length !== Math.min(shows, count)) {
    throw new CannotMeasure(`${title}: the page shows ${results.length} of ${count}.`);
  }
}

function sameJson(part: string, expected: string, actual: string): boolean {
  // The tag is a hash of the body, blanks included.
  const parse = (json: string) =>
    JSON.parse(json, (key, value) => (part === 'headers' && key === 'etag' ? '' : value)) as unknown;
  try {
    return isDeepStrictEqual(parse(expected), parse(actual));
  } catch {
    return false;
  }
}

/** Where two texts part, with what is around it. */
function difference(expected: string, actual: string): string {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at += 1;
  const around = (whole: string) => JSON.stringify(whole.slice(Math.max(0, at - 60), at + 100));
  return `At character ${at} of ${expected.length} and ${actual.length}:\n  server   ${around(expected)}\n  baseline ${around(actual)}`;
}
