// Builds @tidegate/client: a file for browsers and Node, one for Node only, their common part, the public networks, the
// checks of addresses and the types, with licence notices and a bill of materials. Bundles parts of @tidegate/protocol and @tidegate/common, but not viem. `node
// scripts/build-client.mjs [FOLDER]` writes to packages/client/dist, or below FOLDER.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { licenceNotices } from './build/licences.mjs'
import { bundledPackages } from './build/packages.mjs'
import { billOfMaterials } from './build/sbom.mjs'
import { typesOf } from './build/types.mjs'
import { workspaceModules } from './build/workspace-modules.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const source = join(root, 'packages', 'client', 'src')
const outdir = resolve(process.argv[2] ?? join(root, 'packages', 'client', 'dist'))
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))

rmSync(outdir, { recursive: true, force: true })
const options = {
  absWorkingDir: root,
  outdir,
  bundle: true,
  format: 'esm',
  platform: 'neutral',
  mainFields: ['main'],
  target: 'es2022',
  external: ['viem', 'viem/*', 'node:*'],
  plugins: [workspaceModules(root)],
  preserveSymlinks: true,
  metafile: true,
  logLevel: 'warning',
}
/** The checks of addresses, for Node only. Their library is CommonJS: bundled with the rest, every page would get its helpers. */
const ADDRESSES = '@tidegate/protocol/addresses'
const addressesApart = {
  name: 'addresses apart',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^${ADDRESSES}$`) }, () => ({ path: './addresses.js', external: true }))
  },
}
const builds = await Promise.all([
  build({
    ...options,
    entryPoints: { index: 'packages/client/src/index.ts', node: 'packages/client/src/node/index.ts' },
    // both entries must throw the same class
    splitting: true,
    chunkNames: '[name]',
    plugins: [addressesApart, ...options.plugins],
  }),
  build({ ...options, entryPoints: { addresses: 'packages/protocol/src/addresses.ts' } }),
])
const metafile = { outputs: Object.assign({}, ...builds.map(({ metafile: { outputs } }) => outputs)) }
for (const [name, text] of typesOf(root, source, ['index.ts', 'node/index.ts'], ['viem'])) {
  const path = join(outdir, 'types', name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
const bundled = bundledPackages(root, lock, metafile, ['packages/client'])
const notices = licenceNotices(root, bundled) || 'No code of other packages is in these files.\n'
writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), notices)
writeFileSync(join(outdir, 'sbom.cdx.json'), billOfMaterials(root, lock, bundled, 'packages/client'))
