// Builds the service and the console, with licence notices and a bill of materials. Reproducible: the same sources and
// packages give the same bytes in any folder.
import { readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildConsole } from './build/console.mjs'
import { licenceNotices } from './build/licences.mjs'
import { bundledPackages, CONSOLE, SERVICE } from './build/packages.mjs'
import { billOfMaterials } from './build/sbom.mjs'
import { bundleService, writeFiles } from './build/service.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const outdir = resolve(process.argv[2] ?? join(root, 'dist'))
const lock = JSON.parse(readFileSync(join(root, 'package-lock.json')))

const { files, metafile } = await bundleService(root)

rmSync(outdir, { recursive: true, force: true })
const page = await buildConsole(root, join(outdir, 'console'))
const bundled = [
  ...bundledPackages(root, lock, metafile, SERVICE),
  ...bundledPackages(root, lock, page, ['packages/client', CONSOLE]),
]
const distinct = [...new Set(bundled)].sort()
files.set('THIRD-PARTY-LICENSES.txt', licenceNotices(root, distinct))
files.set('sbom.cdx.json', billOfMaterials(root, lock, distinct))
writeFiles(outdir, files)
