import { Level } from '../../shared/domain/level';
import { OnlyAdminsSetPrivacy, Project } from './project';
import { isTimezone, TimezoneUnknown } from './timezone';

const CREATED = new Date('2025-03-01T12:00:00Z');
const CHANGED = new Date('2025-03-02T12:00:00Z');
const IDENTITY = { uuid: 'a uuid', apiToken: 'phc_token' };

const create = (details: { name: string; timezone?: string } = { name: 'Website' }) =>
  Project.create('an organization', IDENTITY, details, CREATED);

describe('A project', () => {
  it('starts in UTC, without events', () => {
    expect(create()).toMatchObject({
      organizationId: 'an organization',
      uuid: 'a uuid',
      apiToken: 'phc_token',
      name: 'Website',
      timezone: 'UTC',
      ingestedEvent: false,
      createdAt: CREATED,
      updatedAt: CREATED,
    });
    expect(create({ name: 'Website', timezone: 'Asia/Tokyo' })).toMatchObject({ timezone: 'Asia/Tokyo' });
  });

  it('changes what is given', () => {
    const project = create({ name: 'Website', timezone: 'Asia/Tokyo' });
    project.change({ name: 'Shop', timezone: undefined }, Level.Member, CHANGED);
    expect(project).toMatchObject({ name: 'Shop', timezone: 'Asia/Tokyo', updatedAt: CHANGED });
    project.change({ timezone: 'UTC' }, Level.Member, CHANGED);
    expect(project).toMatchObject({ name: 'Shop', timezone: 'UTC', createdAt: CREATED });
  });

  it('is private when administrators say so', () => {
    const project = create();
    expect(() => project.change({ name: 'Shop', accessControl: true }, Level.Member, CHANGED)).toThrow(
      OnlyAdminsSetPrivacy,
    );
    expect(project).toMatchObject({ name: 'Website', accessControl: false, updatedAt: CREATED });
    project.change({ accessControl: true }, Level.Admin, CHANGED);
    expect(project).toMatchObject({ accessControl: true, updatedAt: CHANGED });
    project.change({ name: 'Shop', accessControl: true }, Level.Member, CHANGED);
    expect(project).toMatchObject({ name: 'Shop', accessControl: true });
    expect(() => project.change({ accessControl: false }, Level.Member, CHANGED)).toThrow(
      OnlyAdminsSetPrivacy,
    );
    expect(project).toMatchObject({ accessControl: true });
  });

  it('is nowhere but on earth', () => {
    expect(() => create({ name: 'Website', timezone: 'Mars/Olympus' })).toThrow(TimezoneUnknown);
    const project = create();
    expect(() => project.change({ name: 'Shop', timezone: 'Mars/Olympus' }, Level.Member, CHANGED)).toThrow(
      '"Mars/Olympus" is not a valid choice.',
    );
    expect(project).toMatchObject({ name: 'Website', timezone: 'UTC', updatedAt: CREATED });
  });
});

describe('A time zone', () => {
  it.each([
    'UTC',
    'Europe/Berlin',
    'America/Argentina/Buenos_Aires',
    // Names beside those that the runtime lists.
    'Asia/Kolkata',
    'Asia/Calcutta',
    'Europe/Kyiv',
    'US/Pacific',
    'Etc/GMT+5',
  ])('is %s', (name) => {
    expect(isTimezone(name)).toBe(true);
  });

  it.each([
    '',
    'utc',
    'europe/berlin',
    'EUROPE/BERLIN',
    'JST',
    'PST',
    '+01:00',
    'Mars/Olympus',
    'Europe/',
    '/',
  ])('is not %j', (name) => {
    expect(isTimezone(name)).toBe(false);
  });
});
