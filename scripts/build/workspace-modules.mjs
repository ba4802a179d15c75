// Resolves packages of this repository to their sources by their `exports`. Their links in node_modules would put files
// into the bundle twice. Each imported name comes from its own module: esbuild loads everything that an index exports, so
// a command would load the whole service.
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Entries of @tidegate/client, whose `exports` name its build. */
const CLIENT = {
  '.': 'index.ts',
  './node': 'node/index.ts',
}

const IMPORT = /^import (type )?\{([^}]*)\} from '(@tidegate\/[^']+)'/gm
const EXPORT = /^export (?:type )?\{([^}]*)\} from '(\.[^']+)'/gm

export function workspaceModules(root) {
  const modules = new Map()
  return {
    name: 'workspace modules',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^@tidegate\// }, ({ path }) => ({ path: sourceOf(root, path), sideEffects: false }))
      onLoad({ filter: /packages.*\.tsx?$/ }, ({ path }) => ({
        contents: directImports(root, readFileSync(path, 'utf8'), modules),
        loader: path.endsWith('x') ? 'tsx' : 'ts',
      }))
    },
  }
}

/** Replaces imports from a package by imports from the modules of its entry. Removes types. */
export function directImports(root, text, modules = new Map()) {
  return text.replace(IMPORT, (whole, isType, names, path) => {
    // keeps line numbers for source maps
    const lines = '\n'.repeat(whole.split('\n').length - 1)
    if (isType) return lines
    if (path.startsWith('@tidegate/client')) return whole
    if (!modules.has(path)) modules.set(path, modulesOf(sourceOf(root, path)))
    const values = names.split(',').map((name) => name.trim())
    const imports = values
      .filter((name) => name && !name.startsWith('type '))
      .map((name) => `import { ${name} } from '${modules.get(path).get(name.split(' as ')[0]) ?? path}'`)
    return imports.join('; ') + lines
  })
}

/** Returns the module of each exported name of an entry. */
function modulesOf(entry) {
  const exports = [...readFileSync(entry, 'utf8').matchAll(EXPORT)]
  return new Map(
    exports.flatMap(([, names, path]) =>
      names.split(',').map((name) => [name.trim(), join(dirname(entry), path.replace(/\.js$/, '.ts'))]),
    ),
  )
}

/** Returns the source file of a package export, such as `@tidegate/database/sqlite`. */
export function sourceOf(root, path) {
  const [, name, ...rest] = path.split('/')
  const folder = join(root, 'packages', name)
  const entry = rest.length === 0 ? '.' : `./${rest.join('/')}`
  if (name === 'client') return join(folder, 'src', CLIENT[entry])
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const pattern = Object.keys(exports).find((key) => key.endsWith('/*') && entry.startsWith(key.slice(0, -1)))
  const target = exports[entry] ?? (pattern && exports[pattern].replace('*', entry.slice(pattern.length - 1)))
  if (!target) throw new Error(`${path} is not exported by its package.`)
  return join(folder, target)
}
