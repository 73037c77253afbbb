import type { Client } from 'pg';
import { SEALED_CREDENTIALS } from '../../batch-export/index';
import type { Settings } from '../../config/settings';
import { SEALED_TOKENS, SEALED_VALUES } from '../../pipeline/index';
import { SEALED_ANSWERS } from '../../shared/idempotency/sealed-answers';
import { SEALED_MAILS } from '../../shared/mail/sealed-mails';
import { countSecrets } from '../../shared/secrets/count-secrets';
import { SecretBox } from '../../shared/secrets/secret-box';
import { counted } from '../words';
import { type Finding, ok, problem } from './finding';

const PLACES = [SEALED_CREDENTIALS, SEALED_TOKENS, SEALED_VALUES, SEALED_MAILS, SEALED_ANSWERS];

/** Whether `SECRET_KEY` opens all that is sealed. Counts alone are told. */
export async function checkSecrets(client: Client, settings: Settings): Promise<Finding[]> {
  const box = new SecretBox(settings);
  const findings: Finding[] = [];
  let total = 0;
  for (const place of PLACES) {
    const count = await countSecrets(client, box, place);
    total += count.total;
    if (count.unreadable > 0) {
      findings.push(
        problem(
          'secrets',
          `No key opens ${count.unreadable} of ${count.total} ${count.kind}.`,
          settings.secretKeys.length === 0
            ? 'The key was in DATA_DIR/secret-key, which is gone: put it back, or give it as SECRET_KEY.'
            : 'Add the key that they were made with to SECRET_KEY: a comma-separated list, the newest first.',
        ),
      );
    }
  }
  if (findings.length > 0) return findings;
  return [ok('secrets', total === 0 ? 'None are kept.' : `${counted(total, 'secret')}, all can be opened.`)];
}
