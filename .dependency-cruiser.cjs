// What a package may import. Arrows go down only, and what lies inside a package is its own affair: `exports` of its package.json
// names what others get. Tests may look inside, of their own package and of those below.
const LAYERS = {
  protocol: [],
  common: ['protocol'],
  database: ['common', 'protocol'],
  chain: ['common', 'protocol'],
  storage: ['common', 'protocol'],
  catalog: ['chain', 'database', 'common', 'protocol'],
  hosting: ['storage', 'database', 'common', 'protocol'],
  discovery: ['protocol'],
  purchases: ['chain', 'database', 'common', 'protocol'],
  provider: ['purchases', 'discovery', 'hosting', 'catalog', 'storage', 'chain', 'database', 'common', 'protocol'],
  legacy: ['provider', 'common', 'protocol'],
  'dev-network': ['provider', 'chain', 'common', 'protocol', 'client'],
  cli: ['legacy', 'dev-network', 'provider', 'chain', 'common', 'protocol', 'client'],
  client: ['common', 'protocol'],
  console: ['client', 'protocol'],
}

const TEST = '[.]test[.]ts$'

/** Packages whose tests hold to the layers as well: they know nothing of these. */
const ABOVE = {
  '(protocol|common|database|storage|chain|catalog|hosting|discovery|purchases)':
    '(provider|legacy|client|cli|console)',
  provider: '(legacy|client|cli|console)',
  legacy: '(client|cli|console)',
}

const testsBelow = Object.entries(ABOVE).map(([name, above]) => ({
  name: `${name} and its tests know nothing of ${above}`,
  severity: 'error',
  from: { path: `^packages/${name}/` },
  to: { path: `^packages/${above}/` },
}))

const below = Object.entries(LAYERS).map(([name, allowed]) => ({
  name: `${name} imports what is below it`,
  severity: 'error',
  from: { path: `^packages/${name}/src/`, pathNot: TEST },
  to: { path: '^packages/', pathNot: [name, ...allowed].map((one) => `^packages/${one}/`) },
}))

const inside = Object.keys(LAYERS).map((name) => ({
  name: `${name} is imported by its name`,
  severity: 'error',
  from: { path: '^packages/[^/]+/src/', pathNot: [TEST, `^packages/${name}/`] },
  to: { path: `^packages/${name}/`, dependencyTypes: ['local'], dependencyTypesNot: ['aliased', 'aliased-tsconfig'] },
}))

module.exports = {
  forbidden: [
    ...below,
    ...inside,
    ...testsBelow,
    {
      name: 'what is below the service is tested without it',
      severity: 'error',
      from: { path: '^packages/(catalog|database|hosting|chain)/' },
      to: { path: '^packages/(provider/src/index|cli/src/main)[.]ts', reachable: true },
    },
    {
      name: 'the import of a legacy state is loaded by its command alone',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/legacy/' },
      to: { path: '^packages/legacy/', dynamic: false },
    },
    {
      name: 'the part of the client for browsers needs nothing of the service',
      severity: 'error',
      from: { path: '^packages/client/src/', pathNot: '^packages/client/src/node/' },
      to: { path: '^packages/common/' },
    },
    {
      name: 'the index forgets search',
      severity: 'error',
      from: { path: '^packages/catalog/src/index/' },
      to: { path: '^packages/catalog/src/search/' },
    },
    {
      name: 'no cycles',
      severity: 'error',
      from: { path: '^packages/', pathNot: TEST },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'a service needs no development tools',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: [TEST, '^packages/(console|client)/'] },
      // tracing is there for those who install it
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: '@opentelemetry' },
    },
    { name: 'what is imported exists', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/dist/'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs'],
    },
  },
}
