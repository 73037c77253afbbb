import type { Client } from 'pg';

/**
 * Rows for every table, one statement each: thousands of tenants of a few rows, and one large tenant, of a hundred or
 * more in each list and thousands of actions. `u(kind, i)` is the id of the i-th thing of a kind, `h` a hash, `t(i)` a
 * moment. Number one is always the large one: organization, project, user (an owner in it), batch export, backfill,
 * plugin.
 */
const ROWS = `
  CREATE FUNCTION u(kind text, i integer) RETURNS uuid IMMUTABLE LANGUAGE sql
    RETURN (lpad(to_hex(ascii(kind)), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid;
  CREATE FUNCTION h(text) RETURNS bytea IMMUTABLE LANGUAGE sql RETURN sha256($1::bytea);
  CREATE FUNCTION t(i integer) RETURNS timestamptz IMMUTABLE LANGUAGE sql
    RETURN '2025-01-01T00:00Z'::timestamptz + i * interval '1 minute';

  -- Whose the i-th thing is: a part is the large tenant's.
  CREATE FUNCTION org(i integer) RETURNS uuid IMMUTABLE LANGUAGE sql
    RETURN u('o', CASE WHEN i % 150 = 1 THEN 1 ELSE 2 + i % 2999 END);
  CREATE FUNCTION pro(i integer) RETURNS integer IMMUTABLE LANGUAGE sql
    RETURN CASE WHEN i % 150 = 1 THEN 1 ELSE i % 15000 + 1 END;
  CREATE FUNCTION exp(i integer) RETURNS uuid IMMUTABLE LANGUAGE sql
    RETURN u('b', CASE WHEN i % 30 = 1 THEN 1 ELSE i % 20000 + 1 END);

  INSERT INTO organizations (id, name, slug, is_member_join_email_enabled, plugins_access_level, created_at, updated_at)
  SELECT u('o', i), 'Organization ' || i, 'organization-' || i, true, 6, t(i), t(i) FROM generate_series(1, 3000) i;
  INSERT INTO users (id, uuid, distinct_id, email, first_name, last_name, current_organization_id, current_project_id,
                     date_joined)
  SELECT i, u('u', i), 'user-' || i, 'user-' || i || '@example.com', 'First', 'Last', org(i), i, t(i)
    FROM generate_series(1, 15000) i;
  INSERT INTO projects (id, uuid, organization_id, api_token, name, timezone, access_control, created_at, updated_at)
  SELECT i, u('p', i), org(i), 'token-' || i, 'Project', 'UTC', i % 5 = 0, t(i), t(i) FROM generate_series(1, 15000) i;
  INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
  SELECT u('m', i), org(i), i, CASE WHEN i = 1 OR i % 3000 = 0 THEN 15 WHEN i % 30 = 0 THEN 8 ELSE 1 END, t(i), t(i)
    FROM generate_series(1, 15000) i;
  INSERT INTO organization_memberships (id, organization_id, user_id, level, joined_at, updated_at)
  SELECT u('n', i), u('o', 3 + i % 2998), i, 1, t(i), t(i) FROM generate_series(1, 15000) i ON CONFLICT DO NOTHING;
  INSERT INTO personal_api_keys (id, user_id, label, value_hash, mask_value, scopes, scoped_organizations, scoped_teams,
                                 created_at)
  SELECT u('k', i), 1 + i % 15000, 'Key', h(i::text), 'phx_...1234', '{*}', '{}',
         CASE WHEN i % 10 = 0 THEN ARRAY[i % 15000] ELSE '{}' END, t(i) FROM generate_series(1, 30000) i;
  INSERT INTO project_members (project_id, user_id, organization_id, level, created_at, updated_at)
  SELECT 5, i, u('o', 1), 1, t(i), t(i) FROM generate_series(1, 15000, 150) i
   UNION ALL SELECT i, j, org(i), 1, t(i), t(i) FROM generate_series(10, 15000, 5) i, generate_series(i, i + 4) j;
  INSERT INTO organization_invites (id, organization_id, secret_hash, target_email, first_name, level,
                                    private_project_access, emailing_attempt_made, created_by_id, created_at,
                                    updated_at)
  SELECT u('i', i), org(i), h('i' || i), i || '@example.org', '', 1, '[]', false, i, t(i), t(i)
    FROM generate_series(1, 15000) i;
  INSERT INTO ended_invites (secret_hash, organization_id, ending, ended_at)
  SELECT h('e' || i), org(i), 'accepted', t(i) FROM generate_series(1, 15000) i;
  INSERT INTO invitation_mails (organization_id, mailbox, mailed_at)
  SELECT org(i), h(i::text), t(i) FROM generate_series(1, 15000) i;
  INSERT INTO organization_domains (id, organization_id, domain, verified_at, verification_challenge,
                                    jit_provisioning_enabled, sso_enforcement)
  SELECT u('d', i), org(i), i || '.example.com', t(i), 'c', false, '' FROM generate_series(1, 15000) i;

  INSERT INTO actions (project_id, name, description, tags, post_to_slack, slack_message_format, steps, created_at,
                       created_by_id, deleted, last_calculated_at)
  SELECT CASE WHEN i % 15 = 1 THEN 1 ELSE pro(i) END, 'Action ' || i, '', '{}', false, '', '[]', t(i), 1 + i % 15000,
         i % 20 = 0,
         t((i::bigint * 7919 % 100000)::integer) FROM generate_series(1, 100000) i;
  INSERT INTO action_counts (project_id, number)
  SELECT project_id, count(*) FROM actions WHERE NOT deleted GROUP BY project_id;

  INSERT INTO batch_exports (id, organization_id, project_id, name, model, destination_type, destination_config,
                             interval, paused, created_at, last_updated_at, deleted, scheduled_until, next_run_at)
  SELECT u('b', i), org(pro(i)), pro(i), 'Export', 'events', 'NoOp', '{}', 'hour', false, t(i), t(i),
         i % 20 = 0, t(i), t(i) FROM generate_series(1, 20000) i;
  INSERT INTO batch_export_backfills (id, batch_export_id, status, total_runs, created_at)
  SELECT u('f', i), exp(i), CASE WHEN i % 100 = 1 THEN 'Running' ELSE 'Completed' END, 3, t(i)
    FROM generate_series(1, 20000) i;
  INSERT INTO batch_export_runs (id, batch_export_id, backfill_id, status, data_interval_start, data_interval_end,
                                 created_at, last_updated_at, job_id, queued_at, started_at, heartbeat_at, retry_at)
  SELECT u('r', i), exp(i), CASE WHEN i <= 1200 THEN u('f', 1) WHEN i % 4 = 0 THEN u('f', i % 20000 + 1) END,
         CASE i % 500 WHEN 0 THEN 'Starting' WHEN 1 THEN 'Running' WHEN 2 THEN 'FailedRetryable' ELSE 'Completed' END,
         t(i), t(i + 1), t(i), t(i), CASE WHEN i % 1000 <> 0 THEN u('j', i) END, t(i), t(i), t(i), t(i)
    FROM generate_series(1, 60000) i;
  INSERT INTO batch_export_log_entries (id, batch_export_id, instance_id, timestamp, level, message)
  SELECT u('l', i), exp(i), u('r', i / 4), t(i), 'INFO', 'Message' FROM generate_series(1, 60000) i;

  INSERT INTO plugins (id, organization_id, family, plugin_type, name, url, config_schema, is_global, capabilities,
                       created_at, updated_at)
  SELECT i, org(i), 'transformation', 'custom', 'Plugin', 'https://example.com/' || i, '[]', i % 500 = 0,
         '{"methods": []}', t(i), t(i) FROM generate_series(1, 15000) i;
  INSERT INTO plugin_source_files (plugin_id, filename, content, updated_at)
  SELECT i, f, 'x', t(i) FROM generate_series(1, 15000) i, unnest('{index.ts,plugin.json}'::text[]) f;
  INSERT INTO plugin_configs (project_id, plugin_id, enabled, "order", config, deleted, created_at, updated_at)
  SELECT pro(i), CASE WHEN i % 15 = 0 THEN 1 ELSE i % 15000 + 1 END, i % 2 = 0, i % 100, '{}', i % 20 = 1, t(i), t(i)
    FROM generate_series(1, 30000) i;
  INSERT INTO activity_log (id, organization_id, project_id, user_id, scope, item_id, activity, detail, created_at)
  SELECT u('a', i), org(i), CASE WHEN i % 2 = 0 THEN i % 15000 + 1 END, 1 + i % 15000,
         (ARRAY['Action', 'Plugin', 'BatchExport', 'PersonalAPIKey'])[1 + i % 4], (i / 4)::text, 'updated',
         '{"type": "transformation", "changes": []}', t(i) FROM generate_series(1, 60000) i;

  INSERT INTO events (project_id, uuid, created_at, timestamp, person_id, event, distinct_id, properties)
  SELECT pro(i), u('E', i), t(i), t(i), u('P', i / 10), 'seen', 'd' || i / 10, '{}' FROM generate_series(1, 30000) i;
  INSERT INTO persons (project_id, id, properties, version, is_identified, created_at, updated_at)
  SELECT pro(i), u('P', i), '{}', 0, false, t(i), t(i) FROM generate_series(1, 15000) i;
  INSERT INTO person_distinct_ids (project_id, distinct_id, person_id, version)
  SELECT pro(i), 'd' || i, u('P', i), 0 FROM generate_series(1, 15000) i;
  INSERT INTO closed_arrivals (project_id, until) SELECT i, t(i) FROM generate_series(1, 15000) i;

  INSERT INTO rate_limit_counts (subject, length, bucket, requests)
  SELECT 'key ' || i, 60, i, 1 FROM generate_series(1, 9000) i;
  INSERT INTO idempotency_keys (caller, route, key, request, answer, created_at)
  SELECT u('k', i)::text, 'POST /api/', i::text, h(i::text), h(i::text), t(i) FROM generate_series(1, 9000) i;
  INSERT INTO mails (id, name, state, attempts, retry_at, sending_since, created_at, ended_at)
  SELECT u('M', i), 'mail ' || i, CASE i % 300 WHEN 0 THEN 'waiting' WHEN 1 THEN 'sending' ELSE 'sent' END, 1,
         CASE WHEN i % 300 = 0 THEN t(i) END, CASE WHEN i % 300 = 1 THEN t(i) END, t(i),
         CASE WHEN i % 300 > 1 THEN t(i) END FROM generate_series(1, 9000) i;
`;

/** Fills an empty database, as fast as it can. */
export async function seed(client: Client): Promise<void> {
  // No foreign keys are looked up, and no counts are kept by triggers: the rows are right by themselves.
  await client.query(`BEGIN; SET LOCAL session_replication_role = replica; ${ROWS} COMMIT`);
  await client.query('VACUUM ANALYZE');
}
