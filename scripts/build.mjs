// Builds what is installed: the service and its libraries in a few files, so that it starts fast and takes little room.
// Packages that need files of their own beside them (native code, pages) stay outside: the dependencies of package.json.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const outdir = process.argv[2] ?? join(root, 'dist')
const { dependencies, optionalDependencies, peerDependencies } = JSON.parse(readFileSync(join(root, 'package.json')))
const outside = Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })

rmSync(outdir, { recursive: true, force: true })
const { metafile } = await build({
  absWorkingDir: root,
  // the second is the module of the threads that read documents (src/sandbox/sandbox.ts says where it looks for it)
  entryPoints: ['src/cli.ts', 'src/sandbox/worker.ts'],
  outbase: 'src',
  outdir,
  bundle: true,
  splitting: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // pg asks for a native form of itself that nobody has installed
  external: [...outside.flatMap((name) => [name, `${name}/*`]), 'pg-native'],
  // libraries in the older form of modules call it
  banner: {
    js: "import { createRequire as makeRequire } from 'node:module'; const require = makeRequire(import.meta.url);",
  },
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  logLevel: 'warning',
})
writeFileSync(join(outdir, 'THIRD-PARTY-LICENSES.txt'), licenses(Object.keys(metafile.inputs)))

/** The names, versions and licence texts of the packages that these files are from. */
function licenses(files) {
  const packages = new Set(files.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0]).filter(Boolean))
  const parts = [...packages].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json')))
    const file = readdirSync(join(root, folder)).find((entry) => /^(licen[sc]e|copying)/i.test(entry))
    const text = file ? readFileSync(join(root, folder, file), 'utf8').trim() : ''
    return `${name} ${version} (${license})\n\n${text}\n`
  })
  return parts.join(`\n${'-'.repeat(80)}\n\n`)
}
