/**
 * The queries of the baseline, written as one would without Hedgerow: on their own, so that what its queries gain or
 * lose shows. Columns are named and ordered as in the answers.
 */
export interface Source {
  readonly columns: string;
  readonly from: string;
  readonly where: string;
}

export interface ListSource extends Source {
  /** What the count needs of `from`. */
  readonly counted: string;
  readonly order: string;
}

/** Whose key it is, whether it is good, what the user belongs to, and which organization the project is in. */
export const KEY_CHECK = `
  SELECT k.id AS key_id, k.scopes, u.id AS user_id, u.is_active AND coalesce(k.expires_at > now(), true) AS good,
         (SELECT coalesce(json_agg(m.organization_id), '[]') FROM organization_memberships m
           WHERE m.user_id = u.id) AS organizations,
         (SELECT v.organization_id FROM project_viewers v
           WHERE v.project_id = $2 AND v.user_id = u.id) AS organization_of_project
    FROM personal_api_keys k JOIN users u ON u.id = k.user_id WHERE k.value_hash = $1`;

const USER = `CASE WHEN u.id IS NULL THEN NULL ELSE json_build_object(
  'id', u.id, 'uuid', u.uuid, 'distinct_id', u.distinct_id, 'first_name', u.first_name, 'last_name', u.last_name,
  'email', u.email, 'is_email_verified', u.is_email_verified, 'hedgehog_config', u.hedgehog_config) END`;

export const ORGANIZATION: Source = {
  columns: `
    o.id, o.name, o.slug, o.logo_media_id, iso8601(o.created_at) AS created_at, iso8601(o.updated_at) AS updated_at,
    m.level AS membership_level, o.plugins_access_level,
    (SELECT coalesce(json_agg(json_build_object(
              'id', p.id, 'uuid', p.uuid, 'organization', p.organization_id, 'project_id', p.id,
              'api_token', p.api_token, 'name', p.name,
              'completed_snippet_onboarding', p.completed_snippet_onboarding,
              'has_completed_onboarding_for', NULL, 'ingested_event', p.ingested_event, 'is_demo', p.is_demo,
              'timezone', p.timezone, 'access_control', p.access_control) ORDER BY p.id), '[]')
       FROM projects p JOIN project_viewers v ON v.project_id = p.id AND v.user_id = m.user_id
      WHERE p.organization_id = o.id) AS teams,
    '[]'::json AS available_product_features, o.is_member_join_email_enabled, o.metadata::text AS metadata,
    o.customer_id, o.enforce_2fa,
    (SELECT count(*)::text FROM organization_memberships c JOIN users u ON u.id = c.user_id
      WHERE c.organization_id = o.id AND u.is_active) AS member_count,
    o.max_key_scopes`,
  from: 'organizations o JOIN organization_memberships m ON m.organization_id = o.id',
  where: 'o.id = $1 AND m.user_id = $2',
};

const ACTION_COLUMNS = `
  a.id, a.name, a.description, a.tags, a.post_to_slack, a.slack_message_format, a.steps,
  iso8601(a.created_at) AS created_at, ${USER} AS created_by, a.deleted, false AS is_calculating,
  iso8601(a.last_calculated_at) AS last_calculated_at, a.project_id AS team_id, true AS is_action,
  a.bytecode_error, iso8601(a.pinned_at) AS pinned_at, NULL::text AS creation_context`;
const ACTION_FROM = 'actions a LEFT JOIN users u ON u.id = a.created_by_id';

export const ACTION: Source = {
  columns: ACTION_COLUMNS,
  from: ACTION_FROM,
  where: 'a.project_id = $1 AND a.id = $2',
};

export const ACTIONS: ListSource = {
  columns: ACTION_COLUMNS,
  from: ACTION_FROM,
  counted: 'actions a',
  where: 'a.project_id = $1 AND NOT a.deleted',
  order: 'a.last_calculated_at DESC, a.name, a.id',
};

const MEMBER_FROM = 'organization_memberships m JOIN users u ON u.id = m.user_id';

export const MEMBERS: ListSource = {
  columns: `
    m.id, ${USER} AS "user", m.level, iso8601(m.joined_at) AS joined_at, iso8601(m.updated_at) AS updated_at,
    false AS is_2fa_enabled, false AS has_social_auth, iso8601(u.last_login) AS last_login`,
  from: MEMBER_FROM,
  counted: MEMBER_FROM,
  where: 'm.organization_id = $1 AND u.is_active',
  order: 'm.joined_at DESC, m.id DESC',
};

export const BATCH_EXPORTS: ListSource = {
  columns: `
    e.id, e.project_id AS team_id, e.name, e.model,
    json_build_object('type', e.destination_type, 'config', e.destination_config) AS destination, e.interval, e.paused,
    iso8601(e.created_at) AS created_at, iso8601(e.last_updated_at) AS last_updated_at,
    iso8601(e.last_paused_at) AS last_paused_at, iso8601(e.start_at) AS start_at, iso8601(e.end_at) AS end_at,
    (SELECT coalesce(json_agg(run), '[]') FROM (
       SELECT r.id, r.status, r.records_completed, r.latest_error,
              iso8601(r.data_interval_start) AS data_interval_start,
              iso8601(r.data_interval_end) AS data_interval_end, r.cursor, iso8601(r.created_at) AS created_at,
              iso8601(r.finished_at) AS finished_at, iso8601(r.last_updated_at) AS last_updated_at,
              r.records_total_count, r.batch_export_id AS batch_export, r.backfill_id AS backfill, r.attempt,
              iso8601(r.started_at) AS started_at, iso8601(r.retry_at) AS retry_at, r.bytes AS bytes_exported
         FROM batch_export_runs r WHERE r.batch_export_id = e.id
        ORDER BY r.created_at DESC, r.id DESC LIMIT 10) AS run) AS latest_runs,
    e.schema`,
  from: 'batch_exports e',
  counted: 'batch_exports e',
  where: 'e.project_id = $1 AND NOT e.deleted',
  order: 'e.created_at DESC, e.id DESC',
};

export const LOCK_ACTION = 'SELECT id FROM actions WHERE project_id = $1 AND id = $2 FOR UPDATE';

export const UPDATE_ACTION = `
  UPDATE actions SET name = coalesce($3, name), description = coalesce($4, description) WHERE project_id = $1 AND id = $2`;

export const INSERT_ACTION = `
  INSERT INTO actions (project_id, name, description, tags, post_to_slack, slack_message_format, steps, created_at,
                       created_by_id, deleted, last_calculated_at)
  VALUES ($1, $2, $3, $4, false, '', $5, $6, $7, false, $6) RETURNING id`;

export const INSERT_ACTIVITY = `
  INSERT INTO activity_log (id, organization_id, project_id, user_id, key_id, scope, item_id, activity, detail,
                            created_at)
  VALUES ($1, $2, $3, $4, $5, 'Action', $6, $7, $8, $9)`;
