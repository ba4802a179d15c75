// Bundles the service into a few files, so that it starts fast, and builds the console, with licence notices and a bill of
// materials. Reproducible: the same sources and packages give the same bytes in any folder. Packages with files of their
// own (native code, pages) are external: the dependencies of package.json.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { buildConsole } from './build/console.mjs'
import { licenceNotices } from './build/licences.mjs'
import { bundledPackages, CONSOLE, SERVICE } from './build/packages.mjs'
import { billOfMaterials } from './build/sbom.mjs'
import { workspaceModules } from './build/workspace-modules.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** Base folder of paths in source maps, also for another output folder. */
const home = join(root, 'dist')
const outdir = resolve(process.argv[2] ?? home)
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json')))
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json')))
/** Optional modules of libraries: native helpers of pg and ws, sockets of another platform, colours of debug. */
const UNUSED = ['pg-native', 'pg-cloudflare', 'bufferutil', 'utf-8-validate', 'supports-color']
/** Zod 3, for which the SDK of the Model Context Protocol has adapters: all schemas here are of Zod 4. */
const withoutZod3 = {
  name: 'without Zod 3',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^(zod\/v3|zod-to-json-schema)$/ }, ({ path }) => ({ path, namespace: 'unused' }))
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: 'module.exports = {}' }))
  },
}
const external = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })

const { metafile, outputFiles } = await build({
  absWorkingDir: root,
  // those in folders are thread modules: packages/common/src/thread-module.ts expects these paths
  entryPoints: {
    cli: 'packages/cli/src/main.ts',
    'tasks/worker': 'packages/provider/src/tasks/worker.ts',
    'auth/recovery-worker': 'packages/provider/src/auth/recovery-worker.ts',
    'state/batch-worker': 'packages/provider/src/state/batch-worker.ts',
  },
  outdir: home,
  write: false,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // keeps the target of a symbolic link node_modules out of the bundle
  preserveSymlinks: true,
  external: [...external.flatMap((name) => [name, `${name}/*`]), ...UNUSED],
  // bundled CommonJS libraries call `require`
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  plugins: [workspaceModules(root), withoutZod3],
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
})
const files = new Map(outputFiles.map(({ path, contents }) => [relative(home, path), contents]))

rmSync(outdir, { recursive: true, force: true })
const page = await buildConsole(root, join(outdir, 'console'))
const bundled = [
  ...bundledPackages(root, lock, metafile, SERVICE),
  ...bundledPackages(root, lock, page, ['packages/client', CONSOLE]),
]
const distinct = [...new Set(bundled)].sort()
files.set('THIRD-PARTY-LICENSES.txt', licenceNotices(root, distinct))
files.set('sbom.cdx.json', billOfMaterials(root, lock, distinct))
for (const [name, contents] of files) {
  mkdirSync(dirname(join(outdir, name)), { recursive: true })
  writeFileSync(join(outdir, name), contents)
}
