import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

// as CommonJS: for an ES module, Node would search its exports first, which takes longer than loading
const ts = createRequire(import.meta.url)('typescript')
const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.NodeNext, strict: true }

/**
 * Returns the type declarations of source files (paths below `from`) and of all their imports, by file path. Throws if
 * they import a library that is not in `installed`, since users of the package do not have it. Exports have explicit
 * types, so nothing is inferred: type checks take twenty times as long, and belong to `npm run typecheck`.
 */
export function typesOf(from, entries, installed = []) {
  const files = new Map()
  const waiting = [...entries]
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    const name = file.replace(/\.ts$/, '.d.ts')
    if (files.has(name)) continue
    const options = { fileName: file, compilerOptions, reportDiagnostics: true }
    const { outputText, diagnostics = [] } = ts.transpileDeclaration(readFileSync(join(from, file), 'utf8'), options)
    const problems = diagnostics.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '))
    const imports = [...outputText.matchAll(/(?:from |import\()'([^']+)'/g)].map(([, imported]) => imported)
    const own = imports.filter((imported) => imported.startsWith('.'))
    const others = imports.filter(
      (imported) => !/^(\.|node:)/.test(imported) && !installed.includes(libraryOf(imported)),
    )
    problems.push(...others.map((library) => `its types import ${library}`))
    if (problems.length > 0) throw new Error(`${file}: ${problems.join(', ')}`)
    files.set(name, outputText)
    waiting.push(...own.map((imported) => join(dirname(file), imported).replace(/\.js$/, '.ts')))
  }
  return files
}

/** Returns the package of an import such as `@scope/name/part`. */
const libraryOf = (imported) => /^(@[^/]+\/)?[^/]+/.exec(imported)?.[0]
