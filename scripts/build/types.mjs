import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, posix, relative } from 'node:path'
import { sourceOf } from './workspace-modules.mjs'

// as CommonJS: for an ES module, Node would search its exports first, which takes longer than loading
const ts = createRequire(import.meta.url)('typescript')
const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true }

/**
 * Returns the type declarations of source files (paths below `from`) and of all their imports, by file path. Those of other
 * packages of this repository are in a folder of their name. Throws if they import a library that is not in `installed`,
 * since users of the package do not have it. Exports have explicit types, so nothing is inferred: type checks take twenty
 * times as long, and belong to `npm run typecheck`.
 */
export function typesOf(root, from, entries, installed = []) {
  const files = new Map()
  const waiting = entries.map((entry) => join(from, entry))
  const nameOf = (path) => {
    const own = relative(from, path).replaceAll('\\', '/')
    return (own.startsWith('../') ? relative(join(root, 'packages'), path).replace(/[\\/]src[\\/]/, '/') : own)
      .replaceAll('\\', '/')
      .replace(/\.ts$/, '.d.ts')
  }
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    const name = nameOf(path)
    if (files.has(name)) continue
    const options = { fileName: path, compilerOptions, reportDiagnostics: true }
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(path, 'utf8'), options)
    const problems = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
    const text = outputText.replace(/(from |import\()'([^']+)'/g, (whole, before, imported) => {
      const source = sourceFor(root, path, imported)
      if (source) waiting.push(source)
      else if (!imported.startsWith('node:') && !installed.includes(libraryOf(imported)))
        problems.push(`its types import ${imported}`)
      return source ? `${before}'${pathBetween(name, nameOf(source))}'` : whole
    })
    if (problems.length > 0) throw new Error(`${path}: ${problems.join(', ')}`)
    files.set(name, text)
  }
  return files
}

/** Returns the source file of an import in this repository; undefined for a library. */
function sourceFor(root, path, imported) {
  if (imported.startsWith('.')) return join(dirname(path), imported).replace(/\.js$/, '.ts')
  return imported.startsWith('@tidegate/') ? sourceOf(root, imported) : undefined
}

/** Returns how the declarations in one file import those of another. */
function pathBetween(name, other) {
  const path = posix.relative(posix.dirname(name), other).replace(/\.d\.ts$/, '.js')
  return path.startsWith('.') ? path : `./${path}`
}

/** Returns the package of an import such as `@scope/name/part`. */
const libraryOf = (imported) => /^(@[^/]+\/)?[^/]+/.exec(imported)?.[0]
