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
      'SELECT row_to_json(resource)::text AS json FROM (SELECT t.id, t.name FROM things t WHERE t.id = $1) AS resource OFFSET 0',
    );
  });

  const list = { columns: 't.id', from: 'things t', where: 't.owner = $1', order: 't.name, t.id' };

  it('answers a page and the size of the list, both from the same rows', () => {
    const { text } = pageStatement('thing.list', list);
    expect(oneLine(text)).toContain('(SELECT count(*)::int FROM things t WHERE t.owner = $1) AS count');
    expect(oneLine(text)).toContain(
      'FROM (SELECT t.* FROM things t WHERE t.owner = $1 ORDER BY t.name, t.id LIMIT $2 OFFSET $3)',
    );
  });

  it('computes columns and joins for the rows of the page alone', () => {
    const join = 'JOIN owners o ON o.id = t.owner';
    const { text } = pageStatement('thing.list', { ...list, columns: 't.id, o.name', join });
    expect(oneLine(text)).toContain(`SELECT t.id, o.name FROM (SELECT t.* FROM things t WHERE`);
    expect(oneLine(text)).toContain(`OFFSET $3) AS t ${join} ORDER BY t.name, t.id) AS resource`);
    const from = 'things t JOIN stuffs s ON s.id = t.id';
    expect(() => pageStatement('thing.list', { ...list, from, join })).toThrow('joins to more than one');
    expect(oneLine(pageStatement('thing.list', { ...list, from }).text)).toContain(
      `(SELECT t.id FROM ${from} WHERE`,
    );
  });

  it('takes the size of the list from where it is kept', () => {
    const { text } = pageStatement('thing.list', {
      ...list,
      count: 'SELECT number FROM counts WHERE owner = $2',
    });
    expect(oneLine(text)).toContain('(SELECT number FROM counts WHERE owner = $2) AS count');
    expect(oneLine(text)).toContain('LIMIT $3 OFFSET $4');
  });

  it('makes the text of a row once, though it measures it as well', () => {
    const { text } = pageStatement('thing.list', list);
    expect(text.match(/row_to_json/g)).toHaveLength(1);
    expect(oneLine(text)).toMatch(
      /row_to_json\(resource\)::text AS json FROM \(.*\) AS resource OFFSET 0\) AS texts/,
    );
  });

  it('says in which order rows are in a piece, and pieces in a page', () => {
    const { text } = pageStatement('thing.list', list);
    expect(oneLine(text)).toMatch(/ string_agg\(json, ',' ORDER BY size\) AS results .* ORDER BY place$/);
  });

  it('ends a page that is too large, unless it must be whole', () => {
    const { text } = pageStatement('thing.list', list);
    expect(oneLine(text)).toContain('WHERE size <= 8388608 OR size = octet_length(json)');
    expect(oneLine(pageStatement('thing.list', { ...list, whole: true }).text)).toContain('WHERE true GROUP');
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
