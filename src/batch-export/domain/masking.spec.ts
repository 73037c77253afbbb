import { masking } from './masking';

describe('masking', () => {
  const mask = masking({
    password: 'p@ss w/rd+"1"',
    user: 'p@ss',
    empty: '',
    none: null,
    copy_inputs: { bucket_credentials: { aws_secret_access_key: 'nested-secret' } },
    private_key: '-----BEGIN KEY-----\nQUJDREVGR0g=\n-----END KEY-----\n',
  });

  it.each([
    ['refused p@ss w/rd+"1" for p@ss', 'refused *** for ***'],
    ['https://h/?key=p%40ss%20w%2Frd%2B%221%22', 'https://h/?key=***'],
    ['form p%40ss+w%2Frd%2B%221%22.', 'form ***.'],
    ['{"password":"p@ss w/rd+\\"1\\""}', '{"password":"***"}'],
    [`Basic ${Buffer.from('p@ss w/rd+"1"').toString('base64')}`, 'Basic ***=='],
    ['nested-secret nested-secret', '*** ***'],
    ['a line QUJDREVGR0g= of it', 'a line *** of it'],
    ['nothing of it', 'nothing of it'],
  ])('%s', (text, masked) => {
    expect(mask(text).replace(/(\*\*\*)=*$/, '$1')).toBe(masked.replace(/(\*\*\*)=*$/, '$1'));
  });

  it('masks a short secret where it stands alone, and leaves other words as they are', () => {
    const short = masking({ password: 'a', other: 'é.1', key: 'long-a-secret' });
    expect(short('authentication failed for u:a@host, a, "a", ?p=a&x, naïa aé')).toBe(
      'authentication failed for u:***@host, ***, "***", ?p=***&x, naïa aé',
    );
    expect(short('é.1 éx1 aé.1 Xlong-a-secretX')).toBe('*** éx1 aé.1 X***X');
    expect(masking({ password: '^.*[$' })('no ^.*[$, no text')).toBe('no ***, no text');
  });

  it('keeps texts to 2,000 characters, and to what can be stored', () => {
    expect(mask('x'.repeat(2000))).toHaveLength(2000);
    const cut = mask('😀'.repeat(2001));
    expect([...cut]).toHaveLength(2000);
    expect(cut.endsWith('😀…')).toBe(true);
    expect(mask('a\0b\ud800c')).toBe('ab\ufffdc');
  });
});
