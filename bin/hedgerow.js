#!/usr/bin/env node
// The operator's commands. This file is not built, so that it stays executable where npm links it.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const main = join(__dirname, '..', 'dist', 'cli', 'main.js');
if (existsSync(main)) {
  require(main);
} else {
  process.stderr.write('hedgerow: it is not built yet. Run "npm run build" first.\n');
  process.exitCode = 1;
}
