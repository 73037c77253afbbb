import { EntitySchema } from 'typeorm';
import { entity } from './entity';
import { EntityRow } from './entity-row';

class Parcel {
  static made = 0;
  readonly id!: number;
  readonly notes: Record<string, unknown> | null = null;

  constructor(
    private readonly sentTo: string,
    readonly labels: string[],
    readonly contents: unknown,
    readonly sentAt: Date,
  ) {
    Parcel.made += 1;
  }

  get destination(): string {
    return this.sentTo.toUpperCase();
  }
}

const ParcelSchema = entity(Parcel, {
  tableName: 'parcels',
  columns: {
    id: { type: 'integer', primary: true, generated: 'increment' },
    sentTo: { type: 'varchar', name: 'sent_to' },
    labels: { type: 'text', array: true },
    contents: { type: 'json' },
    notes: { type: 'jsonb', nullable: true },
    sentAt: { type: 'timestamptz', name: 'sent_at' },
  },
});

describe("An entity's row", () => {
  const row = new EntityRow<Parcel>(ParcelSchema as EntitySchema<Parcel>);
  const sentAt = new Date('2025-01-06T00:00:00.123Z');

  it('is selected under the names of its properties', () => {
    expect(row.table).toBe('parcels');
    expect(row.selected('p')).toBe(
      'p.id AS "id", p.sent_to AS "sentTo", p.labels AS "labels", p.contents AS "contents", ' +
        'p.notes AS "notes", p.sent_at AS "sentAt"',
    );
  });

  it('is written without what the database generates', () => {
    expect(row.inserted).toBe('(sent_to, labels, contents, notes, sent_at) VALUES ($1, $2, $3, $4, $5)');
    expect(row.assigned).toBe('sent_to = $1, labels = $2, contents = $3, notes = $4, sent_at = $5');
    expect(row.size).toBe(5);
    const written = row.written(Object.assign(new Parcel('here', ['a'], {}, sentAt), { id: 7 }));
    expect(written).toHaveLength(row.size);
    expect(written).not.toContain(7);
  });

  it('has JSON as text, since the driver would take an array for one of the database', () => {
    const contents = [{ text: '"é\\', 'n.m': [1, null] }];
    const labels = ['a,b', '{}'];
    const parcel = Object.assign(new Parcel('here', labels, contents, sentAt), { notes: { fragile: true } });
    expect(row.written(parcel)).toEqual([
      'here',
      labels,
      '[{"text":"\\"é\\\\","n.m":[1,null]}]',
      '{"fragile":true}',
      sentAt,
    ]);
  });

  it.each([
    ['null', null, null],
    ['text', 'null', '"null"'],
    ['zero', 0, '0'],
    ['false', false, 'false'],
    ['an empty text', '', '""'],
  ])('has a JSON column that is %s', (_, contents, written) => {
    expect(row.written(new Parcel('here', [], contents, sentAt))).toEqual([
      'here',
      [],
      written,
      null,
      sentAt,
    ]);
  });

  it('becomes an instance whose constructor is not called', () => {
    const fields = { id: 7, sentTo: '', labels: ['a'], contents: [{ n: 1 }], notes: null, sentAt };
    const { made } = Parcel;
    const parcel = row.loaded({ ...fields, json: '{}' });
    expect(Parcel.made).toBe(made);
    expect(parcel).toBeInstanceOf(Parcel);
    expect({ ...parcel }).toStrictEqual(fields);
    expect(row.loaded({ ...fields, sentTo: 'here' }).destination).toBe('HERE');
  });

  it('is of a class with a table', () => {
    const columns = { id: { type: 'integer', primary: true } } as const;
    expect(() => new EntityRow(entity(Parcel, { columns }))).toThrow('Parcel has no table');
    const classless = new EntitySchema<object>({ name: 'Nothing', tableName: 'nothings', columns: {} });
    expect(() => new EntityRow(classless)).toThrow('Nothing has no table');
  });
});
