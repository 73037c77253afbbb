import { isIPv6 } from 'node:net';

/** What a text has to look like, and what is said of one that does not. */
export interface TextForm {
  accepts(text: string): boolean;
  readonly detail: string;
}

const LONGEST_IDENTIFIER = 63;
const LONGEST_HOST = 253;

/** A client that is given none would look for one in its environment. */
export const FILLED: TextForm = {
  accepts: (text) => text !== '' && !text.includes('\0'),
  detail: 'This field may not be empty.',
};

/** A name in a PostgreSQL database; longer ones would be cut off there. */
export const IDENTIFIER: TextForm = {
  accepts: (text) => text !== '' && !text.includes('\0') && Buffer.byteLength(text) <= LONGEST_IDENTIFIER,
  detail: `Enter a name of 1 to ${LONGEST_IDENTIFIER} bytes.`,
};

/** A DNS name or an IP address; what begins with a slash would be a socket of this machine. */
export const HOST: TextForm = {
  accepts: (text) => isIPv6(text) || (/^[\w-]+(\.[\w-]+)*\.?$/.test(text) && text.length <= LONGEST_HOST),
  detail: 'Enter a host name or an IP address.',
};

/** Secrets have fields of their own, which are sealed. */
export const WEB_ADDRESS: TextForm = {
  accepts: (text) => {
    if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return false;
    const { username, password } = new URL(text);
    return username === '' && password === '';
  },
  detail: 'Enter an http or https URL without user and password.',
};

/** It becomes a part of a host's name. */
export const REGION: TextForm = {
  accepts: (text) => /^[a-z0-9-]{1,63}$/i.test(text),
  detail: 'Enter the name of a region, such as eu-central-1.',
};

/** The name of a bucket, as far as any server takes one, or the ARN of an access point. */
export const BUCKET: TextForm = {
  accepts: (text) => /^[\w][\w.-]{0,254}$/.test(text) || /^arn:[\w:/.-]{1,2000}$/.test(text),
  detail: 'Enter the name of a bucket.',
};

/** The beginning of a path below a folder, with no way out of it. */
export const INNER_PATH: TextForm = {
  accepts: (text) =>
    !text.startsWith('/') && !/[\\\0]/.test(text) && text.split('/').every((part) => part !== '..'),
  detail: "Enter a path below the folder: no '/' first, no '..', no backslash.",
};
