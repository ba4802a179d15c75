// What a package may import. Arrows go down only, and what lies inside a package is its own affair: `exports` of its package.json
// names what others get. Tests may look inside.
const LAYERS = {
  protocol: [],
  common: ['protocol'],
  database: ['common', 'protocol'],
  chain: ['common', 'protocol'],
  storage: ['common', 'protocol'],
  catalog: ['chain', 'database', 'common', 'protocol'],
  hosting: ['storage', 'database', 'common', 'protocol'],
  discovery: ['client'],
  provider: ['discovery', 'hosting', 'catalog', 'storage', 'chain', 'database', 'common', 'protocol', 'client'],
  'dev-network': ['provider', 'chain', 'common', 'protocol', 'client'],
  cli: ['dev-network', 'provider', 'chain', 'common', 'protocol', 'client'],
  client: ['protocol'],
  console: ['client', 'protocol'],
}

const below = Object.entries(LAYERS).map(([name, allowed]) => ({
  name: `${name} imports what is below it`,
  severity: 'error',
  from: { path: `^packages/${name}/src/` },
  to: { path: '^packages/', pathNot: [name, ...allowed].map((one) => `^packages/${one}/`) },
}))

const inside = Object.keys(LAYERS).map((name) => ({
  name: `${name} is imported by its name`,
  severity: 'error',
  from: { path: '^packages/[^/]+/src/', pathNot: `^packages/${name}/` },
  to: { path: `^packages/${name}/`, dependencyTypes: ['local'], dependencyTypesNot: ['aliased', 'aliased-tsconfig'] },
}))

module.exports = {
  forbidden: [
    ...below,
    ...inside,
    {
      name: 'the index forgets search',
      severity: 'error',
      from: { path: '^packages/catalog/src/index/' },
      to: { path: '^packages/catalog/src/search/' },
    },
    {
      name: 'no cycles',
      severity: 'error',
      from: { path: '^packages/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'a service needs no development tools',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/', pathNot: '^packages/(console|client)/' },
      // tracing is there for those who install it
      to: { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], pathNot: '@opentelemetry' },
    },
    { name: 'what is imported exists', severity: 'error', from: {}, to: { couldNotResolve: true } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: ['/dist/', '[.]test[.]ts$'] },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'types', 'node', 'default'],
      extensions: ['.ts', '.tsx', '.d.ts', '.js', '.mjs'],
    },
  },
}
