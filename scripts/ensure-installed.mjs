// Installs packages where they are missing or the lockfile has changed. Uses nothing but Node.
// `ensure-installed.mjs`: all of them. `ensure-installed.mjs service`: those that the service and the demo run with, a fifth of
// all, without the workspaces of the tests and of the console. `ensure-installed.mjs service console`: with the console, as a
// build needs it.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONSOLE, developmentPackages, TESTS } from './build/packages.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
/** What npm has installed, as it writes when it is done. */
const receipt = join(root, 'node_modules', '.package-lock.json')
const read = (file) => JSON.parse(readFileSync(file, 'utf8'))

const [only, ...added] = process.argv.slice(2)
const isServiceOnly = only === 'service'
const leftOut = isServiceOnly ? [TESTS, ...(added.includes('console') ? [] : [CONSOLE])] : []
// in an image that is being built, not all workspaces need be there
const workspaces = read(join(root, 'package.json')).workspaces.filter(
  (name) => !leftOut.includes(name) && existsSync(join(root, name)),
)

if (!isInstalled()) {
  // npm removes packages in no order: where it is interrupted, no receipt may speak of those that are gone
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
