import { type DynamicModule, Injectable, Module, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource, type EntitySchema } from 'typeorm';
import { Settings } from '../../config/settings';
import { SecretBox } from '../secrets/secret-box';
import { createDataSource } from './data-source';
import { migrate } from './migrate';
import { SpareConnections } from './spare-connections';
import { Transaction } from './transaction';

/** In milliseconds. One tenant's heavy request must not keep a connection of all tenants for longer. */
const STATEMENT_TIMEOUT = 30_000;
/** Short enough to be soon on a database that has come back and did not refuse connections meanwhile. */
const CONNECT_TIMEOUT = 5_000;

@Injectable()
class DataSourceLifetime implements OnApplicationShutdown {
  constructor(private readonly dataSource: DataSource) {}

  /** The last of Nest's hooks: requests in flight are answered by then. */
  async onApplicationShutdown(): Promise<void> {
    await this.dataSource.destroy();
  }
}

/** The database, made ready before anything else is made: migrated, unless `prepare` does something else. */
@Module({})
// biome-ignore lint/complexity/noStaticOnlyClass: Nest's form of a module with parameters
export class PersistenceModule {
  static with(
    entities: EntitySchema<object>[],
    prepare: (url: string) => Promise<unknown> = migrate,
  ): DynamicModule {
    return {
      module: PersistenceModule,
      global: true,
      providers: [
        {
          provide: DataSource,
          inject: [Settings],
          useFactory: async (settings: Settings) => {
            const url = settings.databaseUrl;
            if (url === null) throw new Error('No database was given or started');
            await prepare(url);
            return createDataSource({
              url,
              poolSize: settings.databasePoolSize,
              entities,
              connectTimeout: CONNECT_TIMEOUT,
              statementTimeout: STATEMENT_TIMEOUT,
            }).initialize();
          },
        },
        DataSourceLifetime,
        SpareConnections,
        Transaction,
        SecretBox,
      ],
      exports: [DataSource, Transaction, SecretBox],
    };
  }
}
