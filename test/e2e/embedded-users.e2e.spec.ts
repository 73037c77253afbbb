import { type Person, TestApi } from '../support/api';

describe('A user who is embedded in other resources', () => {
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

  it('is shown as they are now (2.5)', async () => {
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
});
