import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Of a text that a function makes: 4 MiB. What would be longer is null, so that no row of an export is too large. */
const LONGEST = 4 * 1024 * 1024;

/** [signature, result, body]: of nothing but their arguments, and null where one of these is. */
const FUNCTIONS: readonly (readonly [string, string, string])[] = [
  // Reading texts. PostgreSQL 15 cannot tell whether a cast would succeed, hence the checks before each.
  [
    'hogql_int(value numeric)',
    'bigint',
    `IF value = trunc(value) AND value BETWEEN -9223372036854775808 AND 9223372036854775807 THEN
       RETURN value::bigint;
     END IF;
     RETURN NULL;`,
  ],
  [
    'hogql_int(value double precision)',
    'bigint',
    `IF value = trunc(value) AND value >= -9223372036854775808 AND value < 9223372036854775808 THEN
       RETURN value::bigint;
     END IF;
     RETURN NULL;`,
  ],
  [
    'hogql_int(value text)',
    'bigint',
    `IF length(value) > 40 OR value !~ '^[+-]?[0-9]+$' THEN RETURN NULL; END IF;
     IF length(value) < 19 THEN RETURN value::bigint; END IF;
     RETURN hogql_int(value::numeric);`,
  ],
  [
    'hogql_float(value numeric)',
    'double precision',
    `IF abs(value) > 1.7976931348623157e308 THEN RETURN NULL; END IF;
     IF abs(value) < 1e-300 THEN RETURN 0; END IF;
     RETURN value::double precision;`,
  ],
  [
    'hogql_float(value text)',
    'double precision',
    `IF length(value) > 400 THEN RETURN NULL; END IF;
     IF value ~ '^[+-]?[0-9]{1,15}(\\.[0-9]{1,15})?$' THEN RETURN value::double precision; END IF;
     IF value !~ '^[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]{1,3})?$' THEN RETURN NULL; END IF;
     RETURN hogql_float(value::numeric);`,
  ],
  [
    'hogql_bool(value text)',
    'boolean',
    `RETURN CASE
       WHEN lower(value) IN ('true', '1', 't', 'yes', 'y', 'on') THEN true
       WHEN lower(value) IN ('false', '0', 'f', 'no', 'n', 'off') THEN false
     END;`,
  ],
  [
    'hogql_uuid(value text)',
    'uuid',
    `IF value !~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' THEN RETURN NULL; END IF;
     RETURN value::uuid;`,
  ],
  [
    'hogql_from_unix(value bigint)',
    'timestamptz',
    `IF value NOT BETWEEN -62135596800 AND 253402300799 THEN RETURN NULL; END IF;
     RETURN to_timestamp(value);`,
  ],
  [
    'hogql_timestamp(value text)',
    'timestamptz',
    `DECLARE
       part text[];
       month_start timestamp;
       year int;
       shift interval;
     BEGIN
       IF length(value) > 40 THEN RETURN NULL; END IF;
       IF value ~ '^[0-9]{9,10}$' THEN RETURN to_timestamp(value::bigint); END IF;
       IF value ~ '^[0-9]{13}$' THEN RETURN to_timestamp(value::bigint / 1000.0::double precision); END IF;
       part := regexp_match(value, '^([0-9]{4})-([0-9]{2})-([0-9]{2})(?:[T ]([0-9]{2}):([0-9]{2})'
         '(?::([0-9]{2})(?:\\.([0-9]{1,9}))?)?)? ?(?:Z|([+-][0-9]{2}):?([0-9]{2}))?$');
       IF part IS NULL THEN RETURN NULL; END IF;
       year := part[1]::int;
       IF year = 0 OR part[2]::int NOT BETWEEN 1 AND 12 OR part[3]::int NOT BETWEEN 1 AND 31
         OR coalesce(part[4], '0')::int > 23 OR coalesce(part[5], '0')::int > 59
         OR coalesce(part[6], '0')::int > 59 OR abs(coalesce(part[8], '0')::int) > 15
         OR coalesce(part[9], '0')::int > 59 THEN RETURN NULL; END IF;
       month_start := make_timestamp(year, part[2]::int, 1, 0, 0, 0);
       IF part[3]::int > extract(day FROM month_start + interval '1 month' - interval '1 day') THEN RETURN NULL; END IF;
       shift := make_interval(hours => coalesce(part[8], '0')::int,
         mins => (coalesce(left(part[8], 1), '+') || coalesce(part[9], '0'))::int);
       RETURN (month_start
         + make_interval(
             days => part[3]::int - 1, hours => coalesce(part[4], '0')::int, mins => coalesce(part[5], '0')::int,
             secs => (coalesce(part[6], '0') || '.' || left(coalesce(part[7], '0'), 6))::double precision)
         - shift) AT TIME ZONE 'UTC';
     END;`,
  ],
  ['hogql_date(value text)', 'date', `RETURN (hogql_timestamp(value) AT TIME ZONE 'UTC')::date;`],

  // Numbers: what has no result, or one that is out of range, is null.
  [
    'hogql_plus(a bigint, b bigint)',
    'bigint',
    `IF a BETWEEN -4611686018427387904 AND 4611686018427387903
       AND b BETWEEN -4611686018427387904 AND 4611686018427387903 THEN RETURN a + b; END IF;
     RETURN hogql_int(a::numeric + b);`,
  ],
  [
    'hogql_plus(a double precision, b double precision)',
    'double precision',
    `IF abs(a) < 8e307 AND abs(b) < 8e307 THEN RETURN a + b; END IF;
     RETURN hogql_float(a::numeric + b::numeric);`,
  ],
  [
    'hogql_minus(a bigint, b bigint)',
    'bigint',
    `IF a BETWEEN -4611686018427387904 AND 4611686018427387903
       AND b BETWEEN -4611686018427387903 AND 4611686018427387903 THEN RETURN a - b; END IF;
     RETURN hogql_int(a::numeric - b);`,
  ],
  ['hogql_minus(a double precision, b double precision)', 'double precision', 'RETURN hogql_plus(a, -b);'],
  [
    'hogql_multiply(a bigint, b bigint)',
    'bigint',
    `IF a BETWEEN -3000000000 AND 3000000000 AND b BETWEEN -3000000000 AND 3000000000 THEN RETURN a * b; END IF;
     RETURN hogql_int(a::numeric * b);`,
  ],
  [
    'hogql_multiply(a double precision, b double precision)',
    'double precision',
    `IF a = 0 OR b = 0 THEN RETURN 0; END IF;
     IF abs(a) BETWEEN 1e-150 AND 1e150 AND abs(b) BETWEEN 1e-150 AND 1e150 THEN RETURN a * b; END IF;
     RETURN hogql_float(a::numeric * b::numeric);`,
  ],
  [
    'hogql_divide(a double precision, b double precision)',
    'double precision',
    `IF b = 0 THEN RETURN NULL; END IF;
     IF a = 0 THEN RETURN 0; END IF;
     IF abs(a) BETWEEN 1e-150 AND 1e150 AND abs(b) BETWEEN 1e-150 AND 1e150 THEN RETURN a / b; END IF;
     RETURN hogql_float(a::numeric / b::numeric);`,
  ],
  [
    'hogql_int_div(a bigint, b bigint)',
    'bigint',
    `IF b = 0 THEN RETURN NULL; END IF;
     IF b = -1 THEN RETURN hogql_minus(0::bigint, a); END IF;
     RETURN a / b;`,
  ],
  ['hogql_modulo(a bigint, b bigint)', 'bigint', 'RETURN CASE WHEN b <> 0 THEN mod(a, b) END;'],
  [
    'hogql_modulo(a double precision, b double precision)',
    'double precision',
    'RETURN CASE WHEN b <> 0 THEN hogql_float(mod(a::numeric, b::numeric)) END;',
  ],
  ['hogql_abs(a bigint)', 'bigint', 'RETURN CASE WHEN a < 0 THEN hogql_minus(0::bigint, a) ELSE a END;'],
  ['hogql_abs(a double precision)', 'double precision', 'RETURN abs(a);'],
  [
    'hogql_round(a double precision, digits bigint)',
    'double precision',
    'RETURN hogql_float(round(a::numeric, greatest(least(digits, 20), -400)::int));',
  ],
  ['hogql_sqrt(a double precision)', 'double precision', 'RETURN CASE WHEN a >= 0 THEN sqrt(a) END;'],
  ['hogql_ln(a double precision)', 'double precision', 'RETURN CASE WHEN a > 0 THEN ln(a) END;'],
  ['hogql_log10(a double precision)', 'double precision', 'RETURN CASE WHEN a > 0 THEN log(a) END;'],
  [
    'hogql_exp(a double precision)',
    'double precision',
    'RETURN CASE WHEN a < -700 THEN 0 WHEN a < 709 THEN exp(a) END;',
  ],
  [
    'hogql_pow(a double precision, b double precision)',
    'double precision',
    `DECLARE
       size double precision;
     BEGIN
       IF b = 0 OR a = 1 THEN RETURN 1; END IF;
       IF a = 0 THEN RETURN CASE WHEN b > 0 THEN 0 END; END IF;
       IF a < 0 AND b <> trunc(b) THEN RETURN NULL; END IF;
       size := hogql_multiply(b, ln(abs(a)));
       IF size IS NULL OR size > 709 THEN RETURN NULL; END IF;
       IF size < -700 THEN RETURN 0; END IF;
       RETURN power(a, b);
     END;`,
  ],

  // Texts.
  ['hogql_clamp(value bigint)', 'int', 'RETURN greatest(least(value, 1000000000), -1000000000)::int;'],
  [
    'hogql_concat(VARIADIC parts text[])',
    'text',
    `IF pg_column_size(parts) > ${LONGEST} THEN RETURN NULL; END IF;
     RETURN array_to_string(parts, '');`,
  ],
  [
    'hogql_replace(value text, old text, new text)',
    'text',
    `IF octet_length(new) > octet_length(old) AND old <> '' AND octet_length(value)::bigint
       + (octet_length(value) - octet_length(replace(value, old, '')))::bigint / octet_length(old)
         * (octet_length(new) - octet_length(old)) > ${LONGEST} THEN RETURN NULL; END IF;
     RETURN replace(value, old, new);`,
  ],
  [
    'hogql_replace_one(value text, old text, new text)',
    'text',
    `DECLARE
       place int := strpos(value, old);
     BEGIN
       IF place = 0 OR old = '' THEN RETURN value; END IF;
       IF octet_length(value)::bigint + octet_length(new) > ${LONGEST} THEN RETURN NULL; END IF;
       RETURN overlay(value PLACING new FROM place FOR length(old));
     END;`,
  ],
  [
    'hogql_split(value text, separator text)',
    'jsonb',
    `IF octet_length(value) > ${LONGEST} THEN RETURN NULL; END IF;
     IF value = '' OR separator = '' THEN RETURN jsonb_build_array(value); END IF;
     RETURN to_jsonb(string_to_array(value, separator));`,
  ],
  [
    'hogql_join(list jsonb, separator text)',
    'text',
    `IF octet_length(list::text)::bigint + jsonb_array_length(list)::bigint * octet_length(separator) > ${LONGEST} THEN
       RETURN NULL;
     END IF;
     RETURN (SELECT coalesce(string_agg(item, separator ORDER BY place), '')
       FROM jsonb_array_elements_text(list) WITH ORDINALITY AS items (item, place));`,
  ],

  // JSON.
  [
    'hogql_element(list jsonb, place bigint)',
    'jsonb',
    `IF jsonb_typeof(list) <> 'array' OR place = 0 OR place NOT BETWEEN -1000000000 AND 1000000000 THEN
       RETURN NULL;
     END IF;
     RETURN list -> (CASE WHEN place > 0 THEN place - 1 ELSE place END)::int;`,
  ],

  // Points in time, all of it in UTC, between the years 1 and 9999.
  [
    'hogql_start(unit text, value timestamptz)',
    'timestamptz',
    `IF value NOT BETWEEN '0001-01-08 00:00:00+00' AND '9999-12-31 23:59:59.999999+00' THEN RETURN NULL; END IF;
     IF unit = 'sunday' THEN
       RETURN (date_trunc('week', value AT TIME ZONE 'UTC' + interval '1 day') - interval '1 day') AT TIME ZONE 'UTC';
     END IF;
     RETURN date_trunc(unit, value AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';`,
  ],
  [
    'hogql_add(value timestamptz, unit text, count bigint)',
    'timestamptz',
    `DECLARE
       seconds numeric := CASE unit WHEN 'second' THEN 1 WHEN 'minute' THEN 60 WHEN 'hour' THEN 3600
         WHEN 'day' THEN 86400 WHEN 'week' THEN 604800 END;
       months numeric := count::numeric * CASE unit WHEN 'month' THEN 1 WHEN 'quarter' THEN 3 WHEN 'year' THEN 12 END;
       moment timestamp := value AT TIME ZONE 'UTC';
     BEGIN
       IF value NOT BETWEEN '0001-01-01 00:00:00+00' AND '9999-12-31 23:59:59.999999+00' THEN RETURN NULL; END IF;
       IF seconds IS NOT NULL THEN
         IF extract(epoch FROM value) + count * seconds NOT BETWEEN -62135596800 AND 253402300799.999999 THEN
           RETURN NULL;
         END IF;
         RETURN value + make_interval(secs => (count * seconds)::double precision);
       END IF;
       IF extract(year FROM moment) * 12 + extract(month FROM moment) - 1 + months NOT BETWEEN 12 AND 119999 THEN
         RETURN NULL;
       END IF;
       RETURN (moment + make_interval(months => months::int)) AT TIME ZONE 'UTC';
     END;`,
  ],
  [
    'hogql_date_diff(unit text, a timestamptz, b timestamptz)',
    'bigint',
    `DECLARE
       seconds numeric := CASE unit WHEN 'second' THEN 1 WHEN 'minute' THEN 60 WHEN 'hour' THEN 3600
         WHEN 'day' THEN 86400 WHEN 'week' THEN 604800 END;
       -- Weeks begin on Monday, and the first of January 1970 was a Thursday.
       shift numeric := CASE unit WHEN 'week' THEN 259200 ELSE 0 END;
       x timestamp := a AT TIME ZONE 'UTC';
       y timestamp := b AT TIME ZONE 'UTC';
       years bigint := extract(year FROM y)::bigint - extract(year FROM x)::bigint;
     BEGIN
       IF seconds IS NOT NULL THEN
         RETURN floor((extract(epoch FROM b) + shift) / seconds) - floor((extract(epoch FROM a) + shift) / seconds);
       END IF;
       RETURN CASE unit
         WHEN 'month' THEN years * 12 + extract(month FROM y)::bigint - extract(month FROM x)::bigint
         WHEN 'quarter' THEN years * 4 + extract(quarter FROM y)::bigint - extract(quarter FROM x)::bigint
         ELSE years
       END;
     END;`,
  ],
];

/** Null, unless something is given to them, counts as what is missing. */
const FUNCTIONS_OF_NULL: readonly (readonly [string, string, string])[] = [
  [
    // A start before the text takes from the count, as in ClickHouse.
    'hogql_substring(value text, start bigint, count bigint)',
    'text',
    `IF start = 0 OR count <= 0 THEN RETURN left(value, 0); END IF;
     RETURN substr(value, hogql_clamp(CASE WHEN start < 0 THEN length(value) + start + 1 ELSE start END),
       coalesce(hogql_clamp(count), 1000000000));`,
  ],
  [
    'hogql_json_int(value jsonb)',
    'bigint',
    `RETURN coalesce(CASE jsonb_typeof(value)
       WHEN 'number' THEN hogql_int(trunc(value::numeric))
       WHEN 'string' THEN coalesce(hogql_int(value #>> '{}'), hogql_int(trunc(hogql_float(value #>> '{}'))))
       WHEN 'boolean' THEN value::boolean::int
     END, 0);`,
  ],
  [
    'hogql_json_float(value jsonb)',
    'double precision',
    `RETURN coalesce(CASE jsonb_typeof(value)
       WHEN 'number' THEN hogql_float(value::numeric)
       WHEN 'string' THEN hogql_float(value #>> '{}')
       WHEN 'boolean' THEN value::boolean::int
     END, 0);`,
  ],
  [
    'hogql_json_length(value jsonb)',
    'bigint',
    `RETURN CASE jsonb_typeof(value)
       WHEN 'array' THEN jsonb_array_length(value)
       WHEN 'object' THEN (SELECT count(*) FROM jsonb_object_keys(value))
       ELSE 0
     END;`,
  ],
];

/** PostgreSQL 15 knows no way to look whether a text is JSON but to try. It does not try in parallel. */
const READ_JSON = `
  CREATE FUNCTION hogql_json(value text) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL UNSAFE AS $$
  BEGIN
    IF value !~ '^s*[[{"0-9tfn-]' THEN RETURN NULL; END IF;
    RETURN value::jsonb;
  EXCEPTION WHEN OTHERS THEN
    RETURN NULL;
  END $$;
  CREATE FUNCTION hogql_json(value jsonb) RETURNS jsonb LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL UNSAFE AS $$
  BEGIN
    RETURN CASE jsonb_typeof(value) WHEN 'string' THEN hogql_json(value #>> '{}') ELSE value END;
  END $$;`;

const bodyOf = (body: string): string => (body.startsWith('DECLARE') ? body : `BEGIN ${body} END;`);

const create =
  (strictness: string) =>
  ([signature, result, body]: readonly [string, string, string]): string =>
    `CREATE FUNCTION ${signature} RETURNS ${result} LANGUAGE plpgsql IMMUTABLE ${strictness} PARALLEL SAFE
     AS $$ ${bodyOf(body)} $$;`;

/** What HogQL queries are translated to where PostgreSQL's own functions would fail on an odd value. */
export class HogqlFunctions1700000000014 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    const functions = [
      ...FUNCTIONS.map(create('STRICT')),
      ...FUNCTIONS_OF_NULL.map(create('CALLED ON NULL INPUT')),
    ];
    await runner.query([...functions, READ_JSON].join('\n'));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`
      DO $$ DECLARE it record; BEGIN
        FOR it IN SELECT oid::regprocedure AS signature FROM pg_proc
          WHERE proname LIKE 'hogql\\_%' AND pronamespace = current_schema()::regnamespace
        LOOP EXECUTE format('DROP FUNCTION %s', it.signature); END LOOP;
      END $$`);
  }
}
