// Builds the console. `node scripts/build-console.mjs [FOLDER]` writes to dist/console, or to FOLDER; with --if-stale only
// if the sources have changed.
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { buildConsole, isCurrent } from './build/console.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const options = { 'if-stale': { type: 'boolean' } }
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const outdir = resolve(positionals[0] ?? join(root, 'dist', 'console'))

if (!values['if-stale'] || !isCurrent(root, outdir)) await buildConsole(root, outdir)
