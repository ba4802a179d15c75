// Bundles the service and its commands into a few files, so that they start fast. Packages with files of their own (native
// code, pages) are external: the dependencies of package.json.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { workspaceModules } from './workspace-modules.mjs'

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
/** The parts of undici that send requests. Its main file loads fetch, caches and mocks too, at each start of a command. */
const requestsOnly = {
  name: 'requests of undici only',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^undici$/ }, ({ path, resolveDir }) => ({
      path,
      namespace: 'requests',
      pluginData: resolveDir,
    }))
    // another name that is imported fails the build
    onLoad({ filter: /.*/, namespace: 'requests' }, ({ pluginData }) => ({
      resolveDir: pluginData,
      contents: `
        import api from 'undici/lib/api/index.js'
        import Dispatcher from 'undici/lib/dispatcher/dispatcher.js'
        export { default as Agent } from 'undici/lib/dispatcher/agent.js'
        export { default as buildConnector } from 'undici/lib/core/connect.js'
        export { default as errors } from 'undici/lib/core/errors.js'
        Object.assign(Dispatcher.prototype, api)`,
    }))
  },
}

/**
 * Returns the files of the bundle by their path below dist/, and esbuild's metafile. `cli.js` is the command. Any other
 * folder works too, if it is directly in `root`. `sourcemap`: a quarter of the work.
 */
export async function bundleService(root, { sourcemap = true } = {}) {
  /** Base folder of paths in source maps, also for another output folder. */
  const home = join(root, 'dist')
  const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json')))
  const external = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })
  const { metafile, outputFiles } = await build({
    absWorkingDir: root,
    // those in folders are thread modules: packages/common/src/thread-module.ts expects these paths
    entryPoints: {
      cli: 'packages/cli/src/main.ts',
      'tasks/worker': 'packages/provider/src/tasks/worker.ts',
      'auth/recovery-worker': 'packages/provider/src/auth/recovery-worker.ts',
      'catalog/batch-worker': 'packages/catalog/src/batch-worker.ts',
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
    plugins: [workspaceModules(root), withoutZod3, requestsOnly],
    sourcemap: sourcemap && 'linked',
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  })
  const files = new Map(outputFiles.map(({ path, contents }) => [relative(home, path), contents]))
  return { files, metafile }
}

/** Writes files, by their path below a folder. */
export function writeFiles(folder, files) {
  for (const [name, contents] of files) {
    mkdirSync(dirname(join(folder, name)), { recursive: true })
    writeFileSync(join(folder, name), contents)
  }
}
