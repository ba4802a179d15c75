import { spawnSync } from 'node:child_process'
import { homedir } from 'node:os'
import { join } from 'node:path'

const VERSION = 'import sys; from importlib.metadata import version; print(version(sys.argv[1]))'

/** A Python with a version of a package: installed by scripts/python-clients.sh, or on PATH. Undefined where there is none. */
export function pythonWith(name: string, version: string): string | undefined {
  const cache = process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), '.cache')
  const own = join(cache, 'tidegate/python-clients/bin/python')
  return [own, 'python3.10', 'python3.9', 'python3.8', 'python3'].find((python) => {
    const { stdout } = spawnSync(python, ['-c', VERSION, name], { encoding: 'utf8' })
    return stdout?.trim() === version
  })
}
