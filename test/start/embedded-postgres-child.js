// One EmbeddedPostgres in a process of its own, which a test may kill: forked with the options as JSON. It sends
// { url }, { ended } or { refused: { name, message } }, and stops on the message "stop". It loads the sources, so
// that no build has to come first.
const { join } = require('node:path');
const { transformFileSync } = require('@swc/core');

require.extensions['.ts'] = (module, file) => module._compile(transformFileSync(file).code, file);
const { EmbeddedPostgres } = require(
  join(__dirname, '../../src/shared/persistence/embedded-postgres/index.ts'),
);

async function main() {
  const postgres = await EmbeddedPostgres.start(JSON.parse(process.argv[2]));
  process.send({ url: postgres.url });
  void postgres.ended.then((ended) => process.send({ ended }));
  process.on('message', async (message) => {
    if (message === 'stop') await postgres.stop();
    process.disconnect(); // nothing else may keep this process alive
  });
}

main().catch(({ name, message }) => {
  process.send({ refused: { name, message } });
  process.disconnect();
});
