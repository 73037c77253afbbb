import { CERTIFICATE } from '../../../test/support/certificate';
import { isCertificate, isWebUrl } from './saml';

const BARE = CERTIFICATE.replace(/-----[^-]+-----/g, '').trim();

describe('A certificate (D20)', () => {
  it.each([
    ['in PEM', CERTIFICATE],
    ['in PEM with CRLF', CERTIFICATE.replaceAll('\n', '\r\n')],
    ['two in PEM', CERTIFICATE + CERTIFICATE],
    ['as bare base64', BARE],
    ['as bare base64 on one line', BARE.replaceAll('\n', '')],
  ])('may be %s', (_, text) => expect(isCertificate(text)).toBe(true));

  it.each([
    ['some text', 'certificate'],
    ['blanks', '   '],
    ['base64 of something else', Buffer.from('a certificate').toString('base64')],
    ['PEM of something else', CERTIFICATE.replaceAll('CERTIFICATE', 'PUBLIC KEY')],
    ['PEM cut off', CERTIFICATE.slice(0, 300)],
    ['bare base64 with other signs in it', `${BARE.slice(0, 10)}!${BARE.slice(10)}`],
    [
      'one beside its private key',
      `-----BEGIN PRIVATE KEY-----\n${BARE}\n-----END PRIVATE KEY-----\n${CERTIFICATE}`,
    ],
  ])('is not: %s', (_, text) => expect(isCertificate(text)).toBe(false));
});

describe('A web URL (D20)', () => {
  it.each(['https://idp.example.com/sso?x=1', 'http://localhost:8080', 'HTTPS://IDP.EXAMPLE.COM/'])(
    'is: %s',
    (text) => expect(isWebUrl(text)).toBe(true),
  );

  it.each([
    'idp.example.com',
    '/sso',
    'javascript:alert(1)',
    'ftp://idp.example.com',
    'https:idp.example.com',
    'https://',
    'https://idp.example.com/a b',
    'https://idp.example.com/\n',
    'https://[::1',
  ])('is not: %j', (text) => expect(isWebUrl(text)).toBe(false));
});
