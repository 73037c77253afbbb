import { Invalid } from '../../shared/domain/domain-error';

/** What a personal API key may be scoped to (AUTH-22), and ours. */
const OBJECTS = [
  'action',
  'activity_log',
  'annotation',
  'batch_export',
  'cohort',
  'dashboard',
  'dashboard_template',
  'early_access_feature',
  'event_definition',
  'experiment',
  'export',
  'feature_flag',
  'group',
  'insight',
  'notebook',
  'organization',
  'organization_member',
  'person',
  'personal_api_key',
  'plugin',
  'project',
  'property_definition',
  'query',
  'session_recording',
  'session_recording_playlist',
  'sharing_configuration',
  'subscription',
  'survey',
  'user',
  'webhook',
];

/** Every scope a key may carry: `*`, and `object:read` and `object:write` of each object. */
export const SCOPES: readonly string[] = [
  '*',
  ...OBJECTS.flatMap((object) => [`${object}:read`, `${object}:write`]),
];

/** Whether a key with these scopes may do what needs `required`: `write` implies `read`, `*` implies all (D10). */
export function grants(scopes: readonly string[], required: string): boolean {
  if (scopes.includes('*') || scopes.includes(required)) return true;
  const [object, action] = required.split(':');
  return action === 'read' && scopes.includes(`${object}:write`);
}

export class ScopesMissing extends Invalid {
  constructor(attr: string) {
    super(attr, 'empty', 'This list may not be empty.');
  }
}

export class ScopeUnknown extends Invalid {
  constructor(attr: string, scope: string) {
    super(attr, 'invalid_input', `Invalid scope: ${scope}`);
  }
}

/**
 * The scopes, each once.
 * @param attr the field to blame
 * @throws ScopesMissing when there is none, ScopeUnknown (KEY-05)
 */
export function knownScopes(scopes: readonly string[], attr = 'scopes'): readonly string[] {
  if (scopes.length === 0) throw new ScopesMissing(attr);
  const unknown = scopes.find((scope) => !SCOPES.includes(scope));
  if (unknown !== undefined) throw new ScopeUnknown(attr, unknown);
  return [...new Set(scopes)];
}
