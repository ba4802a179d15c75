// Installs missing or outdated packages. Needs only Node. `ensure-installed.mjs`: all packages. `ensure-installed.mjs
// service`: those of the service and the demo, a quarter of all. `ensure-installed.mjs service packages/console scripts`:
// also those of these workspaces, for a build.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONSOLE, developmentPackages, SCRIPTS, TESTS } from './build/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** The list of installed packages, which npm writes last. */
const receipt = join(root, 'node_modules', '.package-lock.json')
const read = (file) => JSON.parse(readFileSync(file, 'utf8'))

const [only, ...added] = process.argv.slice(2)
const isServiceOnly = only === 'service'
const leftOut = isServiceOnly ? [TESTS, CONSOLE, SCRIPTS].filter((name) => !added.includes(name)) : []
// an image may contain only some workspaces
const workspaces = read(join(root, 'package.json')).workspaces.filter(
  (name) => !leftOut.includes(name) && existsSync(join(root, name)),
)

if (!isInstalled()) {
  // no receipt during an interrupted removal: it would list removed packages
  rmSync(receipt, { force: true })
  const chosen = isServiceOnly ? ['--include-workspace-root', ...workspaces.map((name) => `--workspace=${name}`)] : []
  const { status } = spawnSync('npm', ['ci', '--no-progress', ...chosen], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}

/** Whether each wanted package is installed in its version. */
function isInstalled() {
  if (!existsSync(receipt)) return false
  const [lock, installed] = [read(join(root, 'package-lock.json')), read(receipt).packages]
  return developmentPackages(lock, workspaces).every(
    (key) => key in installed && installed[key].version === lock.packages[key].version,
  )
}
