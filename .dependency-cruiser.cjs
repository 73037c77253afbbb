const CONTEXT =
  '^src/(identity|organization|membership|project|account|event|batch-export|pipeline|action|activity)';

/** What each context may know of the others, lowest first; it may use those below it, through their face. */
const ORDER = [
  ['activity', []],
  ['identity', ['activity']],
  ['organization', ['identity', 'activity']],
  ['membership', ['identity', 'organization', 'activity']],
  ['project', ['identity', 'organization', 'activity']],
  ['account', ['identity', 'organization', 'membership', 'project', 'activity']],
  ['event', ['identity', 'organization', 'project', 'activity']],
  ['batch-export', ['identity', 'organization', 'membership', 'project', 'event', 'activity']],
  ['pipeline', ['identity', 'organization', 'project', 'activity']],
  ['action', ['identity', 'organization', 'project', 'event', 'activity']],
];

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'domain-imports-only-domain',
      comment: 'A domain knows its own context and shared/domain; no package, no framework.',
      severity: 'error',
      from: { path: `${CONTEXT}/domain/`, pathNot: '\\.spec\\.ts$' },
      to: { pathNot: ['^src/$1/domain/', '^src/shared/domain/'], dependencyTypesNot: ['core'] },
    },
    {
      name: 'shared-domain-imports-nothing',
      severity: 'error',
      from: { path: '^src/shared/domain/', pathNot: '\\.spec\\.ts$' },
      to: { pathNot: '^src/shared/domain/' },
    },
    {
      name: 'shared-knows-no-context',
      severity: 'error',
      from: { path: '^src/(shared|config)/' },
      to: { path: CONTEXT },
    },
    {
      name: 'contexts-meet-at-their-face',
      severity: 'error',
      from: { path: `${CONTEXT}/`, pathNot: '\\.spec\\.ts$' },
      to: { path: `${CONTEXT}/`, pathNot: ['^src/$1/', `${CONTEXT}/index\\.ts$`] },
    },
    {
      name: 'commands-use-the-faces-of-contexts',
      severity: 'error',
      from: { path: '^src/cli/' },
      to: { path: `${CONTEXT}/`, pathNot: `${CONTEXT}/index\\.ts$` },
    },
    {
      name: 'nothing-uses-commands',
      severity: 'error',
      from: { pathNot: '^src/cli/' },
      to: { path: '^src/cli/' },
    },
    {
      name: 'http-does-not-reach-persistence',
      severity: 'error',
      from: { path: `${CONTEXT}/http/` },
      to: { path: [`${CONTEXT}/persistence/`, '^src/shared/persistence/', '/typeorm/'] },
    },
    {
      name: 'persistence-does-not-reach-http',
      severity: 'error',
      from: { path: [`${CONTEXT}/persistence/`, '^src/shared/persistence/'] },
      to: { path: ['/http/', '\\.service\\.ts$'] },
    },
    {
      name: 'services-do-not-reach-http',
      severity: 'error',
      from: { path: '\\.service\\.ts$' },
      to: { path: `${CONTEXT}/http/` },
    },
    {
      name: 'express-stays-in-configure-app',
      severity: 'error',
      from: { pathNot: '^src/(configure-app|http-adapter|route-groups|serve)(\\.spec)?\\.ts$' },
      to: { path: 'node_modules/(express|@nestjs/platform-express|body-parser)/' },
    },
    {
      name: 'no-development-packages',
      severity: 'error',
      from: { path: '^src', pathNot: '\\.spec\\.ts$' },
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'] },
    },
    { name: 'no-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...ORDER.map(([context, below]) => ({
      name: `${context}-knows-those-below`,
      severity: 'error',
      from: { path: `^src/${context}/` },
      to: { path: CONTEXT, pathNot: [context, ...below].map((name) => `^src/${name}/`) },
    })),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
    },
  },
};
