import { X509Certificate } from 'node:crypto';

const BASE_64 = /^[A-Za-z0-9+/=\s]+$/;
const PEM_LABEL = /-----BEGIN ([^-]*)-----/g;

/** An absolute http or https URL. */
export const isWebUrl = (text: string): boolean => /^https?:\/\/\S+$/i.test(text) && URL.canParse(text);

/**
 * Whether the text is an X.509 certificate, in PEM or as the bare base64 that many identity providers show. A PEM
 * file with a private key beside the certificate is none: the field is shown to every member.
 */
export function isCertificate(text: string): boolean {
  const labels = [...text.matchAll(PEM_LABEL)].map(([, label]) => label);
  if (labels.some((label) => label !== 'CERTIFICATE')) return false;
  if (labels.length === 0 && !BASE_64.test(text)) return false;
  try {
    return new X509Certificate(labels.length > 0 ? text : Buffer.from(text, 'base64')).raw.length > 0;
  } catch {
    return false;
  }
}
