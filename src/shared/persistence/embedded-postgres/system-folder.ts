import { join } from 'node:path';
import { EmbeddedPostgresFailed, USE_YOUR_OWN } from './errors';
import { makePublicFolder } from './folders';

const SYSTEM_FOLDER = '/var/lib/hedgerow';

/**
 * Where root keeps what the OS user of PostgreSQL must reach, if it cannot reach the folders that Hedgerow was
 * given (a checkout under /root, say). Not the folder for temporary files: that one is emptied.
 */
export async function systemFolder(name = ''): Promise<string> {
  const path = join(SYSTEM_FOLDER, name);
  try {
    await makePublicFolder(path);
    return path;
  } catch (error) {
    throw new EmbeddedPostgresFailed(
      `The OS user that runs PostgreSQL cannot reach Hedgerow's folders, and ${SYSTEM_FOLDER} cannot be made; ` +
        `move Hedgerow and DATA_DIR to where all users may enter, or ${USE_YOUR_OWN}`,
      String(error),
      { cause: error },
    );
  }
}
