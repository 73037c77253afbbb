import { Injectable } from '@nestjs/common';
import type { Services } from './services';

/** Hedgerow's database and services, loaded when a command needs them: help and wrong usage do without. */
@Injectable()
export class Workspace {
  /** @throws WrongSettings, NoDatabase, DatabaseUnusable */
  async use<T>(work: (services: Services) => Promise<T>): Promise<T> {
    const { Settings } = require('../config/settings') as typeof import('../config/settings');
    const { ownSecretKey } =
      require('../config/secret-key-file') as typeof import('../config/secret-key-file');
    const { openDatabase } = require('./open-database') as typeof import('./open-database');
    const { withServices } = require('./services') as typeof import('./services');

    const settings = Settings.from();
    const database = await openDatabase(settings);
    try {
      const keys = settings.secretKeys.length > 0 ? settings.secretKeys : [ownSecretKey(settings.dataDir)];
      return await withServices(settings.withDatabase(database.url, keys), work);
    } finally {
      await database.close();
    }
  }
}
