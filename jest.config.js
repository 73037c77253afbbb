/** @type {import('jest').Config} */
module.exports = {
  rootDir: '.',
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testRegex: '\\.spec\\.ts$',
  testEnvironment: 'node',
  transform: { '^.+\\.[tj]s$': '@swc/jest' },
  // Nest 12 ships ES modules; Jest runs CommonJS, so they are compiled like our own code.
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/)'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  maxWorkers: 2,
  testTimeout: 30_000,
};
