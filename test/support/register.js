// Lets node run the TypeScript sources (`node -r ./test/support/register.js src/main.ts`), so that tests of the
// process itself need no build before them.
const { transformFileSync } = require('@swc/core');

require.extensions['.ts'] = (module, file) => module._compile(transformFileSync(file).code, file);
