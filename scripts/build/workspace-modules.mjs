// Resolves the packages of this repository to their sources, as their `exports` name them. By their links in node_modules a file
// would be in the bundle twice: once by its own path, and once by that of the link.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export function workspaceModules(root) {
  return {
    name: 'workspace modules',
    setup({ onResolve }) {
      onResolve({ filter: /^@tidegate\// }, ({ path }) => ({ path: sourceOf(root, path), sideEffects: false }))
    },
  }
}

/** The file that a package of this repository exports under a name, such as `@tidegate/database/sqlite`. */
function sourceOf(root, path) {
  const [, name, ...rest] = path.split('/')
  const folder = join(root, 'packages', name)
  const entry = rest.length === 0 ? '.' : `./${rest.join('/')}`
  if (name === 'client')
    return join(
      folder,
      'src',
      { '.': 'index.ts', './node': 'node/index.ts', './safe-files': 'node/safe-files.ts' }[entry],
    )
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const pattern = Object.keys(exports).find((key) => key.endsWith('/*') && entry.startsWith(key.slice(0, -1)))
  const target = exports[entry] ?? (pattern && exports[pattern].replace('*', entry.slice(pattern.length - 1)))
  if (!target) throw new Error(`${path} is not exported by its package.`)
  return join(folder, target)
}
