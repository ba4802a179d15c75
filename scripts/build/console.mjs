// Builds the page at /console/ with Vite, with a gzip and a Brotli copy of each file that gets smaller.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Sources of the page. package-lock.json stands for packages. */
const SOURCES = [
  'packages/console',
  'packages/client/src',
  'packages/protocol/src',
  'scripts/build/console.mjs',
  'package-lock.json',
  'tsconfig.json',
]
/** File with the hash of the sources. The service does not serve it. */
export const STAMP = '.sources'
const COMPRESSIBLE = /\.(html|m?js|css|svg|json|txt|webmanifest)$/
/** Helper modules of the bundler. */
const HELPERS = { '\0vite/': 'node_modules/vite', '\0rolldown/': 'node_modules/rolldown' }

/**
 * Builds the page into an emptied folder. Resolves with its modules and their bytes, under the names of an esbuild
 * metafile. Sets NODE_ENV, which libraries read.
 */
export async function buildConsole(root, outdir) {
  process.env.NODE_ENV = 'production'
  const { build } = await import('vite')
  const home = join(root, 'packages', 'console')
  const { output } = await build({
    root: home,
    configFile: join(home, 'vite.config.ts'),
    // writes no files beside the configuration or the packages
    configLoader: 'runner',
    mode: 'production',
    // keeps the builder's environment out of the page
    envDir: false,
    cacheDir: join(outdir, '.cache'),
    logLevel: 'warn',
    // keeps the target of a symbolic link node_modules out of the page
    resolve: { preserveSymlinks: true },
    // relative: the service may be behind a path of a proxy
    experimental: { renderBuiltUrl: (_name, { hostType }) => (hostType === 'html' ? undefined : { relative: true }) },
    build: {
      outDir: outdir,
      emptyOutDir: true,
      assetsDir: 'assets',
      assetsInlineLimit: 0,
      sourcemap: false,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  })
  compress(outdir)
  writeFileSync(join(outdir, STAMP), `${sourcesOf(root)}\n`)
  const inputs = {}
  for (const { modules = {} } of output)
    for (const [id, { renderedLength }] of Object.entries(modules)) {
      const helper = Object.entries(HELPERS).find(([prefix]) => id.startsWith(prefix))
      inputs[helper ? `${helper[1]}/` : relative(root, id)] = { bytesInOutput: renderedLength }
    }
  return { outputs: { console: { inputs } } }
}

/** Whether a folder holds the page of the current sources. */
export function isCurrent(root, outdir) {
  try {
    return readFileSync(join(outdir, STAMP), 'utf8').trim() === sourcesOf(root)
  } catch {
    return false
  }
}

/** Returns a hash of the sources by name and content. */
function sourcesOf(root) {
  const hash = createHash('sha256')
  for (const name of SOURCES.flatMap((source) => filesOf(root, source))) {
    const content = readFileSync(join(root, name))
    hash.update(`${name.replaceAll('\\', '/')}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

/** The files at or below a path, sorted. */
function filesOf(root, path) {
  if (/\.\w+$/.test(path)) return [path]
  const entries = readdirSync(join(root, path), { withFileTypes: true }).filter(({ name }) => name !== 'node_modules')
  return entries
    .flatMap((entry) => {
      const name = join(path, entry.name)
      return entry.isDirectory() ? filesOf(root, name) : [name]
    })
    .sort()
}

function compress(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COMPRESSIBLE.test(entry.name)) continue
    const file = join(entry.parentPath, entry.name)
    const plain = readFileSync(file)
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length }
    const copies = { gz: gzipSync(plain, { level: 9 }), br: brotliCompressSync(plain, { params }) }
    for (const [ending, bytes] of Object.entries(copies))
      if (bytes.length < plain.length) writeFileSync(`${file}.${ending}`, bytes)
  }
}
