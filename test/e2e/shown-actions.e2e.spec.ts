import { type Person, TestApi } from '../support/api';

describe('What is shown of an action', () => {
  let api: TestApi;
  let owner: Person;

  beforeAll(async () => {
    api = await TestApi.start();
    owner = await api.owner();
  });
  afterAll(() => api?.stop());

  it('is what its row holds now (2.9)', async () => {
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
