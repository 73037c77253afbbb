import fc from 'fast-check';
import { Invalid } from '../../shared/domain/domain-error';
import { compileQuery as compileQueryOf, recompileQuery } from './compile-query';
import { COLUMNS, render } from './compiled-query';

const compileQuery = (text: string) => compileQueryOf(text, 'somebody');
const refused = (text: string) =>
  compileQuery(text).then(
    ({ schema }) => `accepted: ${schema.hogql_query}`,
    (error: Invalid) => {
      expect(error).toBeInstanceOf(Invalid);
      expect(error).toMatchObject({ kind: 'invalid', code: 'invalid_input', attr: 'hogql_query' });
      return error.message;
    },
  );
const normalised = async (text: string) => (await compileQuery(text)).schema.hogql_query;

/** The SQL of the columns and the condition, with what it refers to shown as names. */
async function sqlOf(text: string): Promise<string> {
  const { stages, columns, where, values } = await compileQuery(text);
  const rendering = { value: (number: number) => `:${number}`, column: (name: string) => `e.${name}` };
  for (const { type } of values) expect(type).toMatch(/^[a-z ]+$/);
  return [...[...stages.flat(), ...columns].map(({ sql }) => sql), ...(where ? [where] : [])]
    .map((sql) => render(sql, rendering))
    .join('\n');
}

describe('a query', () => {
  it('has the schema that PostHog gives it (BE-24)', async () => {
    const { schema, columns } = await compileQuery(
      "select toString(uuid) as uuid, 'test' as test, toInt(1+1) as n from events",
    );
    expect(schema).toEqual({
      fields: [
        { expression: 'toString(events.uuid)', alias: 'uuid' },
        { expression: '%(hogql_val_0)s', alias: 'test' },
        { expression: 'accurateCastOrNull(plus(1, 1), %(hogql_val_1)s)', alias: 'n' },
      ],
      values: { hogql_val_0: 'test', hogql_val_1: 'Int64' },
      hogql_query: "SELECT toString(uuid) AS uuid, 'test' AS test, toInt(plus(1, 1)) AS n FROM events",
    });
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['uuid', 'text'],
      ['test', 'text'],
      ['n', 'integer'],
    ]);
  });

  it('names a column by AS, else by what it is of', async () => {
    const { schema } = await compileQuery(
      'SELECT event, properties.$browser, properties.a.b, lower(event), e.uuid AS `an id` FROM events e',
    );
    expect(schema.fields.map(({ alias }) => alias)).toEqual([
      'event',
      '$browser',
      'a__b',
      'lower(events.event)',
      'an id',
    ]);
  });

  it('takes * for all columns', async () => {
    const names = Object.keys(COLUMNS);
    for (const text of [
      'SELECT * FROM events',
      'SELECT events.* FROM events',
      'SELECT e.* FROM events AS e',
    ]) {
      const { columns, schema } = await compileQuery(text);
      expect(columns.map(({ name }) => name)).toEqual(names);
      expect(schema.hogql_query).toBe(text);
    }
    expect(await refused('SELECT *, event FROM events')).toContain('Two columns are called event');
    expect(await refused('SELECT properties.* FROM events')).toContain(
      'Unable to resolve field: properties.*',
    );
    expect(await refused('SELECT lower(*) FROM events')).toContain('Unable to resolve field: *');
  });

  it('may use names that it gave before, and they hide columns', async () => {
    expect(await sqlOf("SELECT lower(event) AS event, event AS again FROM events WHERE event = 'x'")).toBe(
      [
        'lower((e.event) COLLATE "C")',
        ...['computed_0', 'computed_0', 'computed_1'],
        '((computed_0) IS NOT DISTINCT FROM (:0))',
      ].join('\n'),
    );
    expect(await refused('SELECT event AS properties, properties.x FROM events')).toContain(
      'properties is the name',
    );
    expect(await refused('SELECT event AS properties, events.properties.x FROM events')).toContain(
      'accepted',
    );
    expect(await refused('SELECT a AS b, event AS a FROM events')).toBe(
      'Invalid HogQL query: Unable to resolve field: a',
    );
    expect(
      (await compileQuery('SELECT event AS e, upper(e) AS u FROM events')).schema.fields[1]?.expression,
    ).toBe('upper(e)');
  });

  it('has one form', async () => {
    const form =
      "SELECT plus(1, multiply(2, 3)) AS a, and(equals(event, 'it\\'s'), not(isNull(properties.x))) AS b, " +
      "in(event, tuple('a', 'b')) AS c FROM events AS e WHERE or(less(team_id, 1), like(event, '%\\\\%'))";
    expect(
      await normalised(
        `select 1+2*3 a, event == 'it''s'   and properties['x'] is not null as b, -- a comment
         event in ['a', 'b'] as c from events as e where (team_id < 1 or event like '%\\\\%')`.replace(
          "properties['x'] is not null",
          "not (properties['x'] is null)",
        ),
      ),
    ).toBe(form);
    expect(await normalised(form)).toBe(form);
    expect(
      await normalised('SELECT 1.0 AS a, 1e21 AS b, 0.1 AS c, -0.0 AS d, 9007199254740993 AS e FROM events'),
    ).toBe('SELECT 1.0 AS a, 1e+21 AS b, 0.1 AS c, 0.0 AS d, 9007199254740993 AS e FROM events');
    expect(await normalised('SELECT LOWER(event) AS a, COALESCE(event, NULL) AS b FROM events')).toBe(
      'SELECT lower(event) AS a, coalesce(event, NULL) AS b FROM events',
    );
  });

  it('reads back as the same, whatever its names are', async () => {
    const words =
      'from select case interval not null true distinct order fn date timestamp key inf and as in'.split(' ');
    const names = [
      ...words,
      'a`b',
      'a"b',
      'a\\b',
      'a\nb',
      'a.b',
      '*',
      'é',
      '1a',
      "a'b",
      '$',
      '😀',
      '{x}',
      '--',
    ];
    const text = (name: string) => `'${name.replace(/[\\']/g, '\\$&')}'`;
    const quoted = (name: string) => `\`${name.replace(/\\/g, '\\\\').replace(/`/g, '``')}\``;
    const columns = names.map((name) => `properties[${text(name)}].x AS ${quoted(name)}`);
    const query = await compileQuery(`SELECT ${columns.join(', ')} FROM events`);
    expect(query.columns.map(({ name }) => name)).toEqual(names);
    expect(await compileQuery(query.schema.hogql_query)).toEqual(query);
  });
});

describe('a query is refused (BE-25)', () => {
  it.each([
    ['SELECT', 'Failed to parse query'],
    ['SELECT event,, FROM events', 'Failed to parse query'],
    ['', 'Failed to parse query'],
    ['SELECT event FROM events; SELECT 1', 'Failed to parse query'],
    ['SELECT event', 'Query must SELECT FROM events'],
    ['SELECT event FROM persons', 'Query must only SELECT FROM events'],
    ['SELECT event FROM EVENTS', 'Query must only SELECT FROM events'],
    ['SELECT event FROM system.events', 'Query must only SELECT FROM events'],
    ['SELECT event FROM (SELECT event FROM events)', 'Query must only SELECT FROM events'],
    ['SELECT number FROM numbers(5)', 'Query must only SELECT FROM events'],
    ['SELECT event FROM events(5)', 'Query must only SELECT FROM events'],
    ['SELECT event FROM events JOIN persons ON true', 'JOINs are not supported'],
    ['SELECT event FROM events, persons', 'JOINs are not supported'],
    ['SELECT event FROM events UNION ALL SELECT event FROM events', 'UNIONs are not supported'],
    ['SELECT event FROM events INTERSECT SELECT event FROM events', 'UNIONs are not supported'],
    ['SELECT nope FROM events', 'Invalid HogQL query: Unable to resolve field: nope'],
    [
      'SELECT person.properties.x FROM events',
      'Invalid HogQL query: Unable to resolve field: person.properties.x',
    ],
    ['SELECT e.event FROM events', 'Invalid HogQL query: Unable to resolve field: e.event'],
    ['SELECT events.event FROM events e', 'Invalid HogQL query: Unable to resolve field: events.event'],
    ['SELECT event.x FROM events', 'Invalid HogQL query: Unable to resolve field: event.x'],
    ['SELECT __proto__ FROM events', 'Invalid HogQL query: Unable to resolve field: __proto__'],
    [
      'SELECT toInt32(1) FROM events',
      "Invalid HogQL query: Unsupported function call 'toInt32(...)'. Perhaps you meant 'toInt(...)'?",
    ],
    ['SELECT pg_sleep(1) FROM events', "Invalid HogQL query: Unsupported function call 'pg_sleep(...)'"],
    ['SELECT count() FROM events', "Invalid HogQL query: Unsupported function call 'count(...)'"],
    [
      'SELECT constructor(1) FROM events',
      "Invalid HogQL query: Unsupported function call 'constructor(...)'",
    ],
    ['SELECT lower() FROM events', 'Invalid HogQL query: lower(...) expects 1 argument, found 0'],
    [
      'SELECT substring(event) FROM events',
      'Invalid HogQL query: substring(...) expects at least 2 arguments, found 1',
    ],
    [
      'SELECT lower(uuid) FROM events',
      'Invalid HogQL query: Argument 1 of lower(...) must be text, not uuid',
    ],
    [
      'SELECT event + 1 FROM events',
      'Invalid HogQL query: Argument 1 of plus(...) must be a number, not text',
    ],
    [
      "SELECT timestamp > 'soon' FROM events",
      /^Invalid HogQL query: greater\(\.\.\.\) cannot compare 'soon' with timestamp/,
    ],
    [
      'SELECT event = 1 FROM events',
      /^Invalid HogQL query: equals\(\.\.\.\) cannot compare text with integer/,
    ],
    [
      "SELECT if(true, 1, 'a') FROM events",
      /^Invalid HogQL query: if\(\.\.\.\) cannot be both integer and text/,
    ],
    ['SELECT [1, 2] FROM events', 'Invalid HogQL query: A list can only stand on the right side of IN'],
    ['SELECT toIntervalDay(1) FROM events', /^Invalid HogQL query: An interval/],
    [
      'SELECT event LIKE distinct_id FROM events',
      'Invalid HogQL query: The pattern of like(...) must be a string',
    ],
    ['SELECT event FROM events WHERE event', 'Invalid HogQL query: WHERE must be boolean, not text'],
    ['SELECT properties.a[0] FROM events', 'Invalid HogQL query: Arrays are counted from 1'],
    [
      'SELECT 9223372036854775808 FROM events',
      'Invalid HogQL query: Number out of range: 9223372036854775808',
    ],
    ['SELECT 1e400 FROM events', 'Invalid HogQL query: Number out of range: Infinity'],
    ['SELECT nan FROM events', 'Invalid HogQL query: Number out of range: NaN'],
    ["SELECT 'a\0b' FROM events", 'Invalid HogQL query: NUL characters are not supported'],
    ['SELECT event AS `a\0` FROM events', /NUL|parse/],
    [
      "SELECT formatDateTime(timestamp, '%Q') FROM events",
      /^Invalid HogQL query: formatDateTime\(\.\.\.\) knows .*not %Q$/,
    ],
    [
      "SELECT dateDiff('eon', timestamp, timestamp) FROM events",
      /^Invalid HogQL query: The unit of dateDiff/,
    ],
    ['SELECT event, event FROM events', /^Invalid HogQL query: Two columns are called event/],
    ['SELECT event AS a, uuid AS a FROM events', /^Invalid HogQL query: Two columns are called a/],
    ['SELECT event AS `` FROM events', 'Invalid HogQL query: The name of a column is empty'],
    [`SELECT event AS ${'é'.repeat(32)} FROM events`, /Failed to parse query|longer than 63 bytes/],
    [`SELECT event AS \`${'é'.repeat(32)}\` FROM events`, /longer than 63 bytes/],
    [
      'SELECT count(DISTINCT event) FROM events',
      'Unsupported HogQL query: DISTINCT in count(...) is not supported',
    ],
    [
      'SELECT quantile(0.5)(team_id) FROM events',
      /A second list of arguments, as in quantile\(\.\.\.\)\(\.\.\.\), is not supported/,
    ],
    [
      'SELECT row_number() OVER () FROM events',
      'Unsupported HogQL query: A window function is not supported',
    ],
    ['SELECT x -> x FROM events', 'Unsupported HogQL query: A lambda is not supported'],
    [
      'SELECT event IN (SELECT event FROM events) FROM events',
      'Unsupported HogQL query: A subquery is not supported',
    ],
    [
      'SELECT event IN COHORT 1 FROM events',
      'Unsupported HogQL query: The operator IN COHORT is not supported',
    ],
    ['SELECT event::text FROM events', /^Unsupported HogQL query: A cast/],
    ['SELECT {event} FROM events', 'Unsupported HogQL query: A placeholder is not supported'],
    [
      'SELECT lower(event AS x) FROM events',
      'Unsupported HogQL query: AS inside of an expression is not supported',
    ],
    ["SELECT {'a': 1} FROM events", 'Unsupported HogQL query: A dictionary is not supported'],
    ["SELECT COLUMNS('x') FROM events", 'Unsupported HogQL query: COLUMNS is not supported'],
    ['SELECT <a/> FROM events', 'Unsupported HogQL query: A tag is not supported'],
    ["SELECT date '2024-01-01' FROM events", 'Unsupported HogQL query: ColumnExprDate is not supported'],
    ['WITH 1 AS x SELECT x FROM events', 'Unsupported HogQL query: WITH is not supported'],
    ['SELECT DISTINCT event FROM events', 'Unsupported HogQL query: DISTINCT is not supported'],
    ['SELECT event FROM events SAMPLE 0.1', 'Unsupported HogQL query: SAMPLE is not supported'],
    ['SELECT event FROM events FINAL', 'Unsupported HogQL query: FINAL is not supported'],
    ['SELECT event FROM events ARRAY JOIN [1] AS x', 'Unsupported HogQL query: ARRAY JOIN is not supported'],
    ['SELECT event FROM events PREWHERE true', 'Unsupported HogQL query: PREWHERE is not supported'],
    ['SELECT event FROM events GROUP BY event', 'Unsupported HogQL query: GROUP BY is not supported'],
    ['SELECT event FROM events GROUP BY ALL', /^Unsupported HogQL query: GROUP BY/],
    ['SELECT event FROM events HAVING true', 'Unsupported HogQL query: HAVING is not supported'],
    ['SELECT event FROM events QUALIFY true', 'Unsupported HogQL query: QUALIFY is not supported'],
    [
      'SELECT event FROM events WINDOW w AS (ORDER BY event)',
      'Unsupported HogQL query: WINDOW is not supported',
    ],
    ['SELECT event FROM events ORDER BY event', 'Unsupported HogQL query: ORDER BY is not supported'],
    ['SELECT event FROM events LIMIT 1', 'Unsupported HogQL query: LIMIT is not supported'],
    ['SELECT event FROM events LIMIT 1 BY event', 'Unsupported HogQL query: LIMIT BY is not supported'],
    ['SELECT event FROM events OFFSET 1', 'Unsupported HogQL query: OFFSET is not supported'],
    ['SELECT event FROM events LIMIT 1 WITH TIES', /^Unsupported HogQL query: LIMIT/],
    [
      'SELECT event FROM events SETTINGS max_threads = 1',
      'Unsupported HogQL query: SelectStmt.settingsClause() is not supported',
    ],
  ])(
    '%s',
    async (text, reason) => {
      if (typeof reason === 'string') expect(await refused(text)).toBe(reason);
      else expect(await refused(text)).toMatch(reason);
    },
    20_000,
  );

  it.each([
    ['its length', 'x'.repeat(10_000), 'It is longer than 10000 characters'],
    ['its columns', Array.from({ length: 201 }, (_, index) => `1 c${index}`), 'It has more than 200 columns'],
    [
      'what operators repeat',
      `${'('.repeat(20)}team_id${' BETWEEN 0 AND 1)'.repeat(20)} a`,
      'It is too large',
    ],
    [
      'what is written for ClickHouse',
      `${'('.repeat(40)}properties.a${' ? properties.b : properties.c) = properties.d'.repeat(40)} a`,
      'It is too large',
    ],
    ['its brackets', `${'('.repeat(51)}1${')'.repeat(51)} AS n`, 'It is nested too deeply'],
    ['its depth', `${'1+'.repeat(200)}1 AS n`, 'It is nested too deeply'],
    [
      'its values',
      `team_id IN (${Array.from({ length: 1_001 }, (_, index) => index)}) AS a`,
      'It has more than 1000 values',
    ],
  ])('for %s', async (_, columns, reason) => {
    expect(await refused(`SELECT ${columns} FROM events`)).toBe(`Invalid HogQL query: ${reason}`);
  });

  it('whatever the text is, by a reason', async () => {
    const fragment = fc.oneof(
      fc.constantFrom(
        ...'SELECT event FROM events WHERE ( ) [ ] , . * + - = < > ? : \' " ` { } -- /* properties AS AND'.split(
          ' ',
        ),
      ),
      fc.constantFrom(
        ...['lower(', 'if(', 'not ', "'a'", '1', 'case when ', ' end', ' in ', 'with ', '\\', '\n', ';'],
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(fragment, { maxLength: 12 }), fc.boolean(), async (parts, framed) => {
        const text = framed ? `SELECT ${parts.join(' ')} AS a FROM events` : parts.join(' ');
        expect(typeof (await refused(text))).toBe('string');
      }),
      { numRuns: 150 },
    );
  }, 60_000);
});

describe('what a query says', () => {
  const HOSTILE = [
    "'; DROP TABLE events; --",
    '"; SELECT 1; --',
    '$1',
    '$$',
    '\\',
    "\\'",
    '%s',
    ':0',
    '/*',
    '{0}',
    '`',
    '\n--',
  ];

  it('never becomes SQL: strings, keys and names are values or none of it', async () => {
    const text = (value: string) => `'${value.replace(/[\\']/g, '\\$&')}'`;
    const name = (value: string) => `\`${value.replace(/\\/g, '\\\\').replace(/`/g, '``')}\``;
    const harmless = await sqlOf(
      "SELECT 'a' AS x, properties.b AS y, event LIKE 'c' AS z, event =~ 'd' AS r FROM events WHERE event = 'e'",
    );
    for (const hostile of HOSTILE) {
      const query =
        `SELECT ${text(hostile)} AS ${name(`1${hostile}`)}, properties.${name(`b${hostile}`)} AS ${name(`2${hostile}`)}, ` +
        `event LIKE ${text(`c${hostile}`)} AS z, event =~ 'd' AS r FROM events AS ${name(`t${hostile}`)} WHERE event = ${text(`e${hostile}`)}`;
      expect(await sqlOf(query)).toBe(harmless);
    }
  });

  it('is a value also where it is a number, a time or a unit', async () => {
    expect(
      await sqlOf(
        "SELECT team_id + 5 AS a, 1.5 AS b FROM events WHERE timestamp > '2024-01-01' AND uuid = '01890f2e-7c1b-7c3d-9a51-6d3c2b1a0f4e'",
      ),
    ).toBe(
      [
        'hogql_plus(e.team_id, :0)',
        'computed_0',
        ':1',
        '((coalesce((e.timestamp) > (:2), false)) AND (((e.uuid) IS NOT DISTINCT FROM (:3))))',
      ].join('\n'),
    );
    expect(await refused("SELECT dateTrunc('day\\', now()) --', timestamp) FROM events")).toContain(
      'The unit of dateTrunc',
    );
  });
});

describe('what a query computes', () => {
  const namesRepeated = `SELECT event AS a0, ${Array.from({ length: 40 }, (_, n) => `concat(a${n}, a${n}) AS a${n + 1}`)} FROM events`;

  it('is computed once, however often it is named', async () => {
    const { stages, columns } = await compileQuery(namesRepeated);
    expect(stages).toHaveLength(41);
    expect(stages[40]).toEqual([
      { number: 40, sql: ['hogql_concat(', { computed: 39 }, ', ', { computed: 39 }, ')'], grows: 'text' },
    ]);
    expect(columns.map(({ sql }) => sql)).toEqual(columns.map((_, computed) => [{ computed }]));
  });

  it('is computed four at a time, and what is small where it stands', async () => {
    const texts = Array.from({ length: 9 }, (_, n) => `properties.a${n}`);
    const { stages, columns } = await compileQuery(`SELECT uuid, ${texts}, timestamp, 1 AS one FROM events`);
    expect(stages.map((stage) => stage.map(({ number }) => number))).toEqual([
      [0, 1, 2, 3],
      [4, 5, 6, 7],
      [8],
    ]);
    expect([columns[0]?.sql, columns[10]?.sql]).toEqual([[{ column: 'uuid' }], [{ column: 'timestamp' }]]);
  });

  it('is limited, not the stack, by how it is nested', async () => {
    const many = (text: string) => Array(99).fill(text).join(', ');
    const [a, b, c] = [
      `concat(event, ${many('event')}) AS a`,
      `concat(${many('a')}) AS b`,
      `concat(${many('b')}) AS c`,
    ];
    expect(await refused(`SELECT ${a}, ${b}, ${c} FROM events`)).toContain('accepted');
  });
});

it('is compiled once while it stays in use', async () => {
  const compiled = await compileQuery('SELECT event, uuid FROM events');
  expect(await recompileQuery('SELECT event, uuid FROM events')).toBe(compiled);
  for (let index = 0; index < 60; index += 1) await compileQuery(`SELECT ${index} AS n FROM events`);
  expect(await recompileQuery('SELECT event, uuid FROM events')).not.toBe(compiled);
  await expect(recompileQuery('SELECT nope FROM events')).rejects.toBeInstanceOf(Invalid);
});
