import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const VERSION = 'import sys; from importlib.metadata import version; print(version(sys.argv[1]))'

/** Returns the path of the Python of an environment that a script in scripts/ installs. */
function environment(name: string): string {
  const cache = process.env.XDG_CACHE_HOME || join(process.env.HOME || homedir(), '.cache')
  return join(cache, 'tidegate', name, 'bin/python')
}

/** Returns a Python with a version of a package: of scripts/python-clients.sh, or on PATH. Undefined if there is none. */
export function pythonWith(name: string, version: string): string | undefined {
  return [environment('python-clients'), 'python3.10', 'python3.9', 'python3.8', 'python3'].find((python) => {
    const { stdout } = spawnSync(python, ['-c', VERSION, name], { encoding: 'utf8' })
    return stdout?.trim() === version
  })
}

/** Returns the Python of scripts/python-data.sh, which has data tools; undefined, with a warning, if it is missing. */
export function dataPython(): string | undefined {
  const python = environment('python-data')
  if (existsSync(python)) return python
  console.warn('SKIPPED: data tools. Their Python is missing; scripts/python-data.sh installs it.')
  return undefined
}

/** Returns the Python of scripts/python-openapi.sh, which generates clients; undefined, with a warning, if it is missing. */
export function openapiPython(): string | undefined {
  const python = environment('python-openapi')
  if (existsSync(python)) return python
  console.warn('SKIPPED: a client for Python. Its generator is missing; scripts/python-openapi.sh installs it.')
  return undefined
}
