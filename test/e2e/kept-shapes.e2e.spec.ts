import { type Person, TestApi } from '../support/api';

describe('Of what is kept as it is shown', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
  });
  afterAll(() => api?.stop());

  /** As every kind of resource that embeds them shows them. */
  async function shown(): Promise<unknown[]> {
    const { body: action } = await owner.post(owner.projectPath('actions/'), {
      name: `Action ${Math.random()}`,
    });
    const { body: invite } = await owner.post(owner.path('invites/'), {
      target_email: `${action.id}@example.com`,
    });
    const { body: members } = await owner.get(owner.path('members/'));
    const { body: actions } = await owner.get(owner.projectPath('actions/'));
    return [action.created_by, invite.created_by, members.results[0].user, actions.results[0].created_by];
  }

  it('a user who is embedded in other resources is as they are now (2.5)', async () => {
    const fields = async () => {
      const { body } = await owner.get('/api/users/@me/');
      const { id, uuid, distinct_id, first_name, last_name, email, is_email_verified, hedgehog_config } =
        body;
      return { id, uuid, distinct_id, first_name, last_name, email, is_email_verified, hedgehog_config };
    };
    const before = await fields();
    for (const user of await shown()) expect(user).toEqual(before);
    await api.rows(
      `UPDATE users SET first_name = 'Zoë "Z"', last_name = '', is_email_verified = NOT coalesce(is_email_verified, false),
                        hedgehog_config = '{"color": ["red", null]}' WHERE id = $1`,
      [before.id],
    );
    const after = await fields();
    expect(after).not.toEqual(before);
    for (const user of await shown()) expect(user).toEqual(after);
    expect(after).toMatchObject({ first_name: 'Zoë "Z"', hedgehog_config: { color: ['red', null] } });
  });

  it('an action is what its row holds now (2.9)', async () => {
    const path = owner.projectPath('actions/');
    const { body: created } = await owner.post(path, { name: 'As it was', steps: [{ event: 'seen' }] });
    const { body: user } = await owner.get('/api/users/@me/');
    const project = await api.rows<{ id: number }>(
      `INSERT INTO projects SELECT (json_populate_record(p, $1)).* FROM projects p WHERE id = $2 RETURNING id`,
      [{ id: owner.projectId + 1000, uuid: crypto.randomUUID(), api_token: 'phc_other' }, owner.projectId],
    );
    const fields = {
      id: created.id + 1000,
      name: 'It ends in "}" {\\',
      description: 'Line\nbreak, ü, \u2028, 😀',
      tags: ['a"b', '}', ''],
      post_to_slack: true,
      slack_message_format: '[user]',
      steps: [{ ...created.steps[0], event: '}', url: '/' }],
      deleted: true,
      bytecode_error: 'None',
    };
    const moments = {
      created_at: '2026-01-02T03:04:05.678900Z',
      last_calculated_at: '2026-02-03T04:05:06Z',
      pinned_at: '2027-12-31T23:59:59.000001Z',
    };
    const columns = { ...fields, ...moments, project_id: project[0]?.id };
    await api.rows(
      `UPDATE actions a SET (${Object.keys(columns)}) = (SELECT ${Object.keys(columns)}
         FROM json_populate_record(NULL::actions, $1)) WHERE id = $2`,
      [columns, created.id],
    );
    const { body } = await owner.get(`/api/projects/${columns.project_id}/actions/${columns.id}/`);
    const shown = { ...created, ...fields, ...moments, team_id: columns.project_id };
    expect(body).toEqual(shown);
    expect(body.created_by.id).toBe(user.id);
    await api.rows('UPDATE actions SET created_by_id = NULL, pinned_at = NULL, bytecode_error = NULL');
    const { body: later } = await owner.get(`/api/projects/${columns.project_id}/actions/${columns.id}/`);
    expect(later).toEqual({ ...shown, created_by: null, pinned_at: null, bytecode_error: null });
    expect(Object.keys(later)).toEqual(Object.keys(created));
  });
});
