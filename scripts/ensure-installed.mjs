// Installs the dependencies where that has not been done, or the lockfile has changed since. Uses Node alone.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (path) => `${root}${path}`

/** npm leaves a lockfile of what it installed: the same packages mean that nothing is to do. */
function isInstalled() {
  if (!existsSync(at('node_modules/.package-lock.json'))) return false
  const packages = (file) => JSON.parse(readFileSync(at(file), 'utf8')).packages
  const [wanted, have] = [packages('package-lock.json'), packages('node_modules/.package-lock.json')]
  return Object.entries(wanted).every(
    ([path, { version, optional }]) => path === '' || optional || have[path]?.version === version,
  )
}

if (!isInstalled()) {
  const { status } = spawnSync('npm', ['ci', '--no-progress'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) process.exit(status ?? 1)
}
