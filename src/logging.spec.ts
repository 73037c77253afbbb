import { Settings } from './config/settings';
import { loggerParams } from './logging';

const { pinoHttp } = loggerParams(Settings.from({ LOG_FORMAT: 'json' }));
const { serializers } = pinoHttp as {
  serializers: { req(request: object): { path: string }; err(error: Error): object };
};

/** What is logged of the path of a request. */
const logged = (originalUrl: string): string =>
  serializers.req({ id: 'id', method: 'GET', originalUrl }).path;

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

  it('has an error with its causes, without what else it carries', () => {
    const cause = new TypeError('No such table');
    const error = Object.assign(new RangeError('Not saved', { cause }), {
      code: '42P01',
      query: 'INSERT',
      parameters: ['SECRET'],
    });
    expect(serializers.err(error)).toEqual({
      type: 'RangeError',
      message: 'Not saved: No such table',
      stack: expect.stringMatching(/RangeError: Not saved[\s\S]+caused by: TypeError: No such table/),
      code: '42P01',
    });
  });
});
