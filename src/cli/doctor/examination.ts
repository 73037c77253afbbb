import type { Client } from 'pg';
import { ownSecretKeyIfMade } from '../../config/secret-key-file';
import { Settings, WrongSettings } from '../../config/settings';
import { connected } from '../../shared/persistence/migrate';
import { NoDatabase, type OpenDatabase, openDatabase } from '../open-database';
import { checkDatabase } from './check-database';
import { checkDns } from './check-dns';
import { checkFolder, homeOfCluster } from './check-folder';
import { checkMail } from './check-mail';
import { checkSecrets } from './check-secrets';
import { checkServer } from './check-server';
import { type Finding, ok, problem, warning, wordsOf } from './finding';

/** In milliseconds: tables may be locked, which is worth telling. */
const STATEMENT_TIMEOUT = 10_000;

/** Everything that is known to go wrong with an installation. Changes nothing. */
export async function examine(): Promise<Finding[]> {
  let settings: Settings;
  try {
    settings = Settings.from();
  } catch (error) {
    if (!(error instanceof WrongSettings)) throw error;
    return [
      ...error.message.split('\n').map((line) => problem('settings', line, 'Set it right, or leave it out.')),
      warning('others', 'Nothing else was checked.', 'Ask again when the settings are right.'),
    ];
  }
  const findings = await Promise.all([
    [ok('settings', 'They are right.')],
    databaseOf(settings),
    one(checkMail(settings)),
    one(checkDns(settings)),
    foldersOf(settings),
    one(checkServer(settings)),
  ]);
  return findings.flat();
}

const one = async (finding: Promise<Finding>): Promise<Finding[]> => [await finding];

async function databaseOf(settings: Settings): Promise<Finding[]> {
  let database: OpenDatabase;
  try {
    database = await openDatabase(settings);
  } catch (error) {
    return [
      error instanceof NoDatabase
        ? warning(
            'database',
            `There is none in ${settings.dataDir} yet.`,
            'Start the server, which makes it.',
          )
        : problem('database', wordsOf(error), 'Mend that first; nothing else of the database was checked.'),
    ];
  }
  try {
    return await insideOf(settings, database);
  } finally {
    await database.close();
  }
}

async function insideOf(settings: Settings, database: OpenDatabase): Promise<Finding[]> {
  try {
    const look = async (client: Client): Promise<Finding[]> => {
      const findings = await checkDatabase(client, database, settings);
      // Without the tables there is nothing to look for in them.
      if (findings.some(({ check, state }) => check === 'migrations' && state === 'problem')) return findings;
      const own = settings.databaseUrl === null ? ownSecretKeyIfMade(settings.dataDir) : null;
      const keys = settings.secretKeys.length > 0 || own === null ? settings.secretKeys : [own];
      return [...findings, ...(await checkSecrets(client, settings.withDatabase(database.url, keys)))];
    };
    return await connected(database.url, look, STATEMENT_TIMEOUT);
  } catch (error) {
    return [
      problem('database', wordsOf(error), 'Mend that first; nothing else of the database was checked.'),
    ];
  }
}

async function foldersOf({ databaseUrl, dataDir, exportDir }: Settings): Promise<Finding[]> {
  const home = await homeOfCluster(dataDir);
  return Promise.all([
    ...(databaseUrl === null ? [checkFolder('DATA_DIR', dataDir)] : []),
    ...(databaseUrl === null && home.startsWith(dataDir) === false ? [checkFolder('DATA_DIR', home)] : []),
    checkFolder('EXPORT_DIR', exportDir),
  ]);
}
