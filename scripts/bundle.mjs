// Builds the service alone, without what a release needs: `node scripts/bundle.mjs FOLDER`. The folder is directly below this
// repository.
import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { bundleService, writeFiles } from './build/service.mjs'

const { files } = await bundleService(fileURLToPath(new URL('..', import.meta.url)), { sourcemap: false })
const folder = resolve(process.argv[2])
rmSync(folder, { recursive: true, force: true })
writeFiles(folder, files)
