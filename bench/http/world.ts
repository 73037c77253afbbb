import { Client } from 'pg';

/** Where requests go: the largest tenant. */
export interface World {
  readonly organizationId: string;
  /** With actions for pages of 1,000 and a table of 10,000, and with batch exports. */
  readonly projectId: number;
  /** Of that project. */
  readonly actionIds: readonly number[];
  /** A smaller project, so that what is written does not change what is read. */
  readonly writtenProjectId: number;
  readonly writtenActionIds: readonly number[];
}

const ORGANIZATIONS = 1_000;
const MEMBERS = 100_000;
const ACTIONS = 100_000;
const EXPORTS = 100_000;

/** What the largest tenant has of everything, at most: as much at every scale above, so that scales compare. */
const SHARE = 0.1;
const MOST = { members: 10_000, actions: 10_000, exports: 1_000 };
const WRITTEN_ACTIONS = 1_000;

/** No number is the id of two things: one in the place of another shows. */
const FIRST_PROJECT = 1_000;
const FIRST_USER = 1_000_000;
const FIRST_ACTION = 100_000_000;

/** To the millisecond, as the server writes times. */
const NOW = "date_trunc('milliseconds', now())";

/** Ids that look like UUIDv7 and grow with the number. */
const uuid = (kind: number, number: string): string =>
  `('01900000-${kind.toString(16).padStart(4, '0')}-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const ORGANIZATION = 1;

/**
 * The tenant of the thing number `i` of so many: the first `large` are the largest tenant's. The others are skewed as
 * real ones are: the tenant at place k has in proportion to 1/k.
 */
const tenantOf = (total: number, large: number, tenants: number): string =>
  `CASE WHEN i <= ${large} THEN 1 ELSE 1 + floor(power(${tenants}, (i - ${large} - 0.5) / ${total - large}))::int END`;

/** Things in an order that has nothing to do with their tenants, as if all had worked side by side. */
const shuffled = (total: number, tenant: string): string =>
  `(SELECT i, tenant FROM (SELECT i, ${tenant} AS tenant FROM generate_series(1, ${total}) AS i) AS numbered
     ORDER BY hashint4(i)) AS made`;

const STEPS = `format(
  '[{"event":"$autocapture","properties":[{"key":"plan","value":["pro","team"],"operator":"exact","type":"person"}],"selector":"form.signup > button","tag_name":"button","text":"Sign up","text_matching":null,"href":null,"href_matching":null,"url":"/signup/%s","url_matching":"contains"},{"event":"$pageview","properties":null,"selector":null,"tag_name":null,"text":null,"text_matching":null,"href":null,"href_matching":null,"url":"/welcome","url_matching":"contains"}]', i)::json`;

const CONFIG = `jsonb_build_object('bucket_name', 'events-' || i, 'region', 'eu-central-1', 'prefix', 'posthog/events/',
  'compression', 'gzip', 'file_format', 'JSONLines', 'exclude_events', '[]'::jsonb, 'include_events', '[]'::jsonb)`;

/** Fills a migrated database, in which there is nothing but what the first start made. */
export async function seed(client: Client, scale: number): Promise<World> {
  const of = (number: number) => Math.max(10, Math.round(number * scale));
  const [tenants, members, actions, exports] = [of(ORGANIZATIONS), of(MEMBERS), of(ACTIONS), of(EXPORTS)];
  const large = (total: number, most: number) => Math.min(Math.ceil(total * SHARE), most);
  const written = Math.ceil(large(actions, MOST.actions) * (WRITTEN_ACTIONS / MOST.actions));
  const writtenProject = FIRST_PROJECT + tenants + 1;
  const project = (tenant: string) => `${FIRST_PROJECT} + ${tenant}`;
  await client.query('BEGIN');
  await client.query(`
    INSERT INTO organizations (id, name, slug, is_member_join_email_enabled, plugins_access_level, created_at, updated_at)
    SELECT ${uuid(ORGANIZATION, 'i')}, 'Organization ' || i, 'organization-' || i, true, 3,
           ${NOW} - (${tenants} - i) * interval '1 hour', ${NOW}
      FROM generate_series(1, ${tenants}) AS i;

    INSERT INTO projects (id, uuid, organization_id, api_token, name, timezone, created_at, updated_at)
    SELECT ${project('i')}, ${uuid(2, 'i')}, ${uuid(ORGANIZATION, 'i')},
           'phc_' || md5(i::text), 'Project ' || i, 'UTC', ${NOW}, ${NOW}
      FROM generate_series(1, ${tenants}) AS i;
    INSERT INTO projects (id, uuid, organization_id, api_token, name, timezone, created_at, updated_at)
    VALUES (${writtenProject}, ${uuid(2, `${tenants + 1}`)}, ${uuid(ORGANIZATION, '1')}, 'phc_written', 'Written', 'UTC',
            ${NOW}, ${NOW});

    INSERT INTO users (id, uuid, distinct_id, email, first_name, last_name, date_joined)
    SELECT ${FIRST_USER} + i, ${uuid(3, 'i')}, md5(i::text), 'person' || i || '@example.com', 'Person', i::text, ${NOW}
      FROM generate_series(1, ${members}) AS i;
    INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
    SELECT ${uuid(4, 'i')}, ${uuid(ORGANIZATION, 'tenant')}, ${FIRST_USER} + i, CASE WHEN i % 20 = 0 THEN 8 ELSE 1 END,
           ${NOW} - (${members} - i) * interval '1 minute', ${NOW} - (${members} - i) * interval '1 minute'
      FROM ${shuffled(members, tenantOf(members, large(members, MOST.members), tenants))};
    -- Whose key asks: a member of five organizations besides the one of the first start.
    INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
    SELECT ${uuid(5, 'i')}, ${uuid(ORGANIZATION, 'i')}, caller.id, 8, ${NOW}, ${NOW}
      FROM generate_series(1, 5) AS i,
           (SELECT id FROM users WHERE id < ${FIRST_USER}) AS caller;

    ALTER TABLE actions ALTER COLUMN id RESTART WITH ${FIRST_ACTION};
    INSERT INTO actions (project_id, name, description, tags, post_to_slack, slack_message_format, steps, created_at,
                         created_by_id, deleted, last_calculated_at)
    SELECT ${project('tenant')}, 'Action ' || i, 'Somebody did what product area ' || i % 40 || ' is measured by',
           CASE WHEN i % 3 = 0 THEN '{growth,web}'::text[] ELSE '{}' END, i % 10 = 0, '', ${STEPS},
           ${NOW} - (${actions} - i) * interval '1 minute', ${FIRST_USER} + 1 + i % ${members},
           tenant > 1 AND i % 50 = 0, ${NOW} - (i * 7919 % ${actions}) * interval '1 second'
      FROM ${shuffled(actions, tenantOf(actions, large(actions, MOST.actions), tenants))};
    INSERT INTO actions (project_id, name, description, tags, post_to_slack, slack_message_format, steps, created_at,
                         created_by_id, deleted, last_calculated_at)
    SELECT ${writtenProject}, 'Action ' || i, 'As it was', '{}', false, '', ${STEPS}, ${NOW},
           ${FIRST_USER} + 1 + i % ${members}, false, ${NOW}
      FROM generate_series(1, ${written}) AS i;

    INSERT INTO batch_exports (id, organization_id, project_id, name, model, destination_type, destination_config,
                               interval, paused, scheduled_until, created_at, last_updated_at, deleted)
    SELECT ${uuid(6, 'i')}, ${uuid(ORGANIZATION, 'tenant')}, ${project('tenant')}, 'Export ' || i, 'events', 'S3', ${CONFIG},
           'hour', true, ${NOW}, ${NOW} - (${exports} - i) * interval '1 minute',
           ${NOW} - (${exports} - i) * interval '1 minute', false
      FROM ${shuffled(exports, tenantOf(exports, large(exports, MOST.exports), tenants))};
    -- One to five runs each, written hour by hour.
    INSERT INTO batch_export_runs (id, batch_export_id, status, data_interval_start, data_interval_end,
                                   records_completed, records_total_count, attempt, revision, bytes, created_at,
                                   started_at, finished_at, last_updated_at)
    SELECT ${uuid(7, `hour * ${exports} + i`)}, ${uuid(6, 'i')}, 'Completed', ends - interval '1 hour', ends,
           i % 5000, i % 5000, 1, 1, i % 5000 * 180, ends, ends + interval '1 second',
           ends + interval '3 seconds', ends + interval '3 seconds'
      FROM (SELECT i, hour, date_trunc('hour', now()) - (5 - hour) * interval '1 hour' AS ends
              FROM generate_series(1, 5) AS hour, generate_series(1, ${exports}) AS i
             WHERE hour <= 1 + i % 5 ORDER BY hour, hashint4(i)) AS run`);
  await client.query(`
    SELECT setval(pg_get_serial_sequence('projects', 'id'), (SELECT max(id) FROM projects)),
           setval(pg_get_serial_sequence('users', 'id'), (SELECT max(id) FROM users))`);
  await client.query('COMMIT');
  await client.query('VACUUM (ANALYZE)');
  // Else it comes while something is measured. Not everybody may ask for it.
  await client.query('CHECKPOINT').catch(() => {});
  const idsOf = async (id: number, most: number) => {
    const { rows } = await client.query<{ id: number }>(
      'SELECT id FROM actions WHERE project_id = $1 ORDER BY id LIMIT $2',
      [id, most],
    );
    return rows.map((row) => row.id);
  };
  const { rows } = await client.query<{ id: string }>(`SELECT ${uuid(ORGANIZATION, '1')} AS id`);
  return {
    organizationId: rows[0]?.id ?? '',
    projectId: FIRST_PROJECT + 1,
    actionIds: await idsOf(FIRST_PROJECT + 1, 100),
    writtenProjectId: writtenProject,
    writtenActionIds: await idsOf(writtenProject, WRITTEN_ACTIONS),
  };
}
