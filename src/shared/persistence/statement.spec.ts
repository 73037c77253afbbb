import { pageStatement, resourceStatement } from './statement';

const oneLine = (text: string) => text.replace(/\s+/g, ' ');

describe('A statement', () => {
  it('answers a resource as JSON text, under its name', () => {
    const { name, text } = resourceStatement('thing.retrieve', {
      columns: 't.id, t.name',
      from: 'things t',
      where: 't.id = $1',
    });
    expect(name).toBe('thing.retrieve');
    expect(text).toBe(
      'SELECT row_to_json(resource)::text AS json FROM (SELECT t.id, t.name FROM things t WHERE t.id = $1) AS resource',
    );
  });

  it('answers a page and the size of the list, both from the same rows', () => {
    const { text } = pageStatement('thing.list', {
      columns: 't.id',
      from: 'things t',
      where: 't.owner = $1',
      order: 't.name, t.id',
    });
    expect(oneLine(text)).toContain('(SELECT count(*)::int FROM things t WHERE t.owner = $1) AS count');
    expect(oneLine(text)).toContain(
      'FROM (SELECT t.id FROM things t WHERE t.owner = $1 ORDER BY t.name, t.id LIMIT $2 OFFSET $3) AS resource',
    );
  });

  it.each([
    ['', '', 'true', '$1', '$2'],
    ['', '', 'a = $1 AND b = $2', '$3', '$4'],
    ['$3::int AS x', '', 'a = $1', '$4', '$5'],
    ['', 'things_of($2) t', 'a = $1', '$3', '$4'],
    ['', '', 'a = $10', '$11', '$12'],
  ])('numbers limit and offset behind the parameters of %j %j %j', (columns, from, where, limit, offset) => {
    const { text } = pageStatement('thing.list', { columns, from, where, order: 'id' });
    expect(oneLine(text)).toContain(`LIMIT ${limit} OFFSET ${offset})`);
  });
});
