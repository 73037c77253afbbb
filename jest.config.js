/** @type {import('jest').Config} */
module.exports = {
  rootDir: '.',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testRegex: '\\.spec\\.ts$',
  // They need a browser: `npm run test:browser`.
  testPathIgnorePatterns: ['/node_modules/', '\\.browser\\.spec\\.ts$'],
  testEnvironment: 'node',
  transform: { '^.+\\.[tj]s$': '@swc/jest' },
  // These ship ES modules; Jest runs CommonJS, so they are compiled like our own code.
  transformIgnorePatterns: [
    '/node_modules/(?!(@nestjs|hyparquet|hyparquet-writer|hyparquet-compressors|hysnappy)/)',
  ],
  setupFiles: ['<rootDir>/test/support/one-realm.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  maxWorkers: 2,
  testTimeout: 30_000,
};
