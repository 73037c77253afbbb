import { Settings } from './config/settings';
import { loggerParams } from './logging';

/** What is logged of the path of a request. */
function logged(url: string): string {
  const { pinoHttp } = loggerParams(Settings.from({ LOG_FORMAT: 'json' }));
  const { serializers } = pinoHttp as { serializers: { req(request: object): { path: string } } };
  return serializers.req({ id: 'id', method: 'GET', url }).path;
}

describe('The log', () => {
  it('has paths without queries', () => {
    expect(logged('/api/organizations/?limit=2')).toBe('/api/organizations/');
    expect(logged('/api/signup/')).toBe('/api/signup/');
  });

  it('has no secret of an invite (D23)', () => {
    for (const url of [
      '/api/signup/SECRET/',
      '/API/SignUp/SECRET',
      '/signup/SECRET/?x=1',
      '/hedgerow/signup/SECRET',
      '/signup//SECRET/',
      '/signup/x/signup/SECRET/',
      '/signup//signup/SECRET/',
    ]) {
      expect(logged(url)).not.toContain('SECRET');
    }
  });
});
