import { Resolver } from 'node:dns/promises';
import type { Settings } from '../../config/settings';
import { type Finding, ok, problem, warning } from './finding';

/** It will always be there, and has records of the kind that domains are verified by. */
const NAME = 'example.com';
/** In milliseconds. */
const TIMEOUT = 2_000;
/** What DNS says of a name that it does not know. */
const UNKNOWN_NAME = ['ENOTFOUND', 'ENODATA'];

/** Asks each of `DNS_SERVERS`, or else the system's, for a record. */
export async function checkDns({ dnsServers }: Settings): Promise<Finding> {
  if (dnsServers.length === 0) {
    const answer = await ask(null);
    if (answer === 'known') return ok('dns', `The system's servers know ${NAME}.`);
    return warning(
      'dns',
      `The system's servers do not answer for ${NAME} (${answer}): domains cannot be verified.`,
      'Check the network, or set DNS_SERVERS to others.',
    );
  }
  const answers = await Promise.all(
    dnsServers.map(async (server) => ({ server, answer: await ask(server) })),
  );
  const failing = answers.filter(({ answer }) => answer !== 'known');
  if (failing.length === 0) return ok('dns', `${dnsServers.join(' and ')} know ${NAME}.`);
  const found = failing
    .map(({ server, answer }) => `${server} does not answer for ${NAME} (${answer})`)
    .join('; ');
  const mend = 'Check DNS_SERVERS, and that this machine may ask them.';
  return failing.length === answers.length
    ? problem('dns', `${found}: domains cannot be verified.`, mend)
    : warning('dns', `${found}.`, mend);
}

/** `known`, or why not. */
async function ask(server: string | null): Promise<string> {
  const resolver = new Resolver({ timeout: TIMEOUT, tries: 2 });
  if (server !== null) resolver.setServers([server]);
  try {
    await resolver.resolveTxt(NAME);
    return 'known';
  } catch (error) {
    const { code = 'no answer' } = error as NodeJS.ErrnoException;
    return UNKNOWN_NAME.includes(code) ? 'it says that there is no such name' : code;
  }
}
