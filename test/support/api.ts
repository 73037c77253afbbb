import type { NestExpressApplication } from '@nestjs/platform-express';
import { Test } from '@nestjs/testing';
import { Logger, PARAMS_PROVIDER_TOKEN } from 'nestjs-pino';
import { AppModule } from '../../src/app.module';
import { Settings } from '../../src/config/settings';
import { configureApp } from '../../src/configure-app';
import { HttpAdapter } from '../../src/http-adapter';
import { IdentityService } from '../../src/identity/index';
import { loggerParams } from '../../src/logging';
import { MembershipService } from '../../src/membership/index';
import { OrganizationService } from '../../src/organization/index';
import { Clock } from '../../src/shared/domain/clock';
import { Level, type PluginsAccess } from '../../src/shared/domain/level';
import { Readiness } from '../../src/shared/http/health.controller';
import { createDocument } from '../../src/shared/http/openapi/document';
import { Statement } from '../../src/shared/persistence/statement';
import { Transaction } from '../../src/shared/persistence/transaction';
import { Client } from './client';
import { Contract } from './contract';
import { createDatabase, dropDatabase, urlOf } from './database';
import { logs } from './logs';
import { TestClock } from './test-clock';

export interface KeyOptions {
  readonly scopes?: string[];
  readonly scopedOrganizations?: string[];
  readonly scopedTeams?: number[];
  readonly expiresAt?: Date | null;
}

/** A user with a key, as a client; `organizationId` and `projectId` are the user's current ones. */
export class Person extends Client {
  constructor(
    url: string,
    contract: Contract,
    key: string,
    readonly user: { readonly id: number; readonly uuid: string; readonly email: string },
    readonly organizationId: string,
    readonly projectId: number,
  ) {
    super(url, contract, key);
  }

  /** Path below the person's organization: `path('members/')`. */
  path = (rest: string) => `/api/organizations/${this.organizationId}/${rest}`;
  /** Path below the person's project: `projectPath('actions/')`. */
  projectPath = (rest: string) => `/api/projects/${this.projectId}/${rest}`;
}

let count = 0;

/** A running server on a database of its own, and ways to make the people who call it. */
export class TestApi {
  private constructor(
    readonly app: NestExpressApplication,
    readonly url: string,
    readonly clock: TestClock,
    readonly contract: Contract,
    readonly databaseUrl: string,
    /** Its own database, which ends with it; null: that of another server. */
    private readonly database: string | null,
  ) {}

  static async start(env: NodeJS.ProcessEnv = {}, providers: [unknown, unknown][] = []): Promise<TestApi> {
    count += 1;
    const database = `hedgerow_${process.pid}_${Date.now()}_${count}`;
    await createDatabase(database);
    return TestApi.serve(env, providers, urlOf(database), database, new TestClock());
  }

  /** Another server on the same database, by the same clock; to be stopped before this one. */
  beside(env: NodeJS.ProcessEnv = {}, providers: [unknown, unknown][] = []): Promise<TestApi> {
    return TestApi.serve(env, providers, this.databaseUrl, null, this.clock);
  }

  private static async serve(
    env: NodeJS.ProcessEnv,
    providers: [unknown, unknown][],
    databaseUrl: string,
    database: string | null,
    clock: TestClock,
  ): Promise<TestApi> {
    const settings = Settings.from({
      SECRET_KEY: 'a secret key for tests and for tests alone',
      DATABASE_URL: databaseUrl,
      LOG_LEVEL: 'trace',
      // Jobs are for the tests of what they do.
      ROLE: 'api',
      ...env,
    });
    const params = loggerParams(settings);
    let testing = Test.createTestingModule({ imports: [AppModule.with(settings)] })
      .overrideProvider(Clock)
      .useValue(clock)
      .overrideProvider(PARAMS_PROVIDER_TOKEN)
      .useValue({ ...params, pinoHttp: [params.pinoHttp, logs.stream] });
    for (const [token, value] of providers) testing = testing.overrideProvider(token).useValue(value);
    const module = await testing.compile();
    const app = module.createNestApplication<NestExpressApplication>(new HttpAdapter(), {
      bodyParser: false,
      bufferLogs: true,
    });
    app.useLogger(app.get(Logger));
    await configureApp(app);
    await app.listen(0, '127.0.0.1');
    app.get(Readiness).serve();
    const contract = new Contract(createDocument(app));
    return new TestApi(
      app,
      (await app.getUrl()).replace('[::1]', '127.0.0.1'),
      clock,
      contract,
      databaseUrl,
      database,
    );
  }

  /** @throws Error when a secret that was used is in the log */
  async stop(): Promise<void> {
    await this.app.close();
    logs.search();
    if (this.database !== null) await dropDatabase(this.database);
  }

  /** A caller with this key, or without any. */
  anyone(key: string | null = null): Client {
    return new Client(this.url, this.contract, key);
  }

  /** A new user who owns a new organization with its default project. */
  async owner(
    options: { name?: string; pluginsAccessLevel?: PluginsAccess } & KeyOptions = {},
  ): Promise<Person> {
    count += 1;
    const email = `owner-${count}@example.com`;
    const identity = this.app.get(IdentityService);
    const user = await identity.createUser({
      email,
      firstName: 'Olive',
      lastName: 'Owner',
      isEmailVerified: null,
    });
    const name = options.name ?? `Organization ${count}`;
    const created = await this.app
      .get(OrganizationService)
      .create(user.id, { name }, options.pluginsAccessLevel);
    const organization = JSON.parse(created.json) as { id: string; teams: [{ id: number }] };
    return this.person(user, organization.id, organization.teams[0].id, options);
  }

  /** A new user who is a member of somebody's organization. */
  async member(of: Person, level: Level = Level.Member, options: KeyOptions = {}): Promise<Person> {
    count += 1;
    const email = `member-${count}@example.com`;
    const identity = this.app.get(IdentityService);
    const user = await identity.createUser({
      email,
      firstName: 'Max',
      lastName: 'Member',
      isEmailVerified: null,
    });
    await this.app.get(MembershipService).join(of.organizationId, user.id, level);
    await identity.enter(user.id, of.organizationId, of.projectId);
    return this.person(user, of.organizationId, of.projectId, options);
  }

  /** The same user with another key. */
  async as(person: Person, options: KeyOptions): Promise<Person> {
    return this.person(person.user, person.organizationId, person.projectId, options);
  }

  /** Rows of the database as they are, to look behind the API or to set up what it cannot. */
  rows<Row = Record<string, unknown>>(sql: string, values: unknown[] = []): Promise<Row[]> {
    return this.app.get(Transaction).rows(new Statement<Row>('', sql), values);
  }

  /** An event that arrived then: the project has data from that moment on. */
  async eventAt(projectId: number, arrivedAt: Date | string): Promise<void> {
    await this.rows(
      `INSERT INTO events (project_id, uuid, created_at, timestamp, person_id, event, distinct_id, properties)
       VALUES ($1, gen_random_uuid(), $2, $2, gen_random_uuid(), 'seen', 'somebody', '{}')`,
      [projectId, arrivedAt],
    );
  }

  private async person(
    user: Person['user'],
    organizationId: string,
    projectId: number,
    { scopes = ['*'], scopedOrganizations = [], scopedTeams = [], expiresAt = null }: KeyOptions,
  ): Promise<Person> {
    const grant = { label: 'Test', scopes, scopedOrganizations, scopedTeams, expiresAt };
    const key = await this.app.get(IdentityService).issueKey(user.id, grant);
    return new Person(this.url, this.contract, key, user, organizationId, projectId);
  }
}
