const base = require('./jest.config.js');

/** The pages in a real Chromium: `npm run test:browser`. */
/** @type {import('jest').Config} */
module.exports = {
  ...base,
  roots: ['<rootDir>/test/browser'],
  testPathIgnorePatterns: ['/node_modules/'],
  maxWorkers: 1,
  testTimeout: 60_000,
};
