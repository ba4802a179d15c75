import { existsSync, readdirSync, readFileSync } from 'node:fs'
import ts from 'typescript'

/** A limit of a package: its path, its value, and its comment. */
export interface Limit {
  path: string
  value: string
  reason: string
}

/** Packages whose limits concern only the programs of people, which name them in their messages. */
const OF_PROGRAMS: ReadonlySet<string> = new Set(['cli', 'client', 'console', 'dev-network'])
const PACKAGES = new URL('../packages/', import.meta.url)

/** Returns every limit by package. Throws if one has no comment. */
export function limits(): Map<string, Limit[]> {
  const names = readdirSync(PACKAGES).filter((name) => existsSync(new URL(`${name}/src/limits.ts`, PACKAGES)))
  return new Map(names.filter((name) => !OF_PROGRAMS.has(name)).map((name) => [name, limitsOf(name)]))
}

function limitsOf(name: string): Limit[] {
  const text = readFileSync(new URL(`${name}/src/limits.ts`, PACKAGES), 'utf8')
  const source = ts.createSourceFile('limits.ts', text, ts.ScriptTarget.Latest, true)
  const found: Limit[] = []
  const walk = (object: ts.ObjectLiteralExpression, path: string[], shared?: string): void => {
    for (const property of object.properties) {
      if (!ts.isPropertyAssignment(property)) throw new Error(`limits.ts of ${name} holds more than plain values.`)
      const keys = [...path, property.name.getText(source)]
      const value = property.initializer
      // limits of a nested object share its comment; groups have none
      const reason = commentOf(property) ?? shared
      if (ts.isObjectLiteralExpression(value)) walk(value, keys, reason)
      else if (reason) found.push({ path: keys.join('.'), value: value.getText(source), reason })
      else throw new Error(`${keys.join('.')} of ${name} has no comment with its unit and reason.`)
    }
  }
  ts.forEachChild(source, (node) => {
    if (!ts.isVariableStatement(node)) return
    for (const { initializer } of node.declarationList.declarations) {
      // tests change some limits, so that these are not constant
      const value = initializer && ts.isAsExpression(initializer) ? initializer.expression : initializer
      if (value && ts.isObjectLiteralExpression(value)) walk(value, [])
    }
  })
  return found
}

function commentOf(property: ts.PropertyAssignment): string | undefined {
  const [comment] = ts.getJSDocCommentsAndTags(property)
  const text = comment && ts.isJSDoc(comment) ? ts.getTextOfJSDocComment(comment.comment) : undefined
  return text?.replace(/\s+/g, ' ')
}

/** Returns the content of docs/limits.md. */
export function limitsDocument(note: string): string {
  const sections = [...limits()].map(([name, all]) => {
    const rows = all.map(({ path, value, reason }) => `| ${path} | ${value.replaceAll('_', ',')} | ${reason} |`)
    return `## ${name}\n\n| limit | value | unit and reason |\n|---|---|---|\n${rows.join('\n')}`
  })
  return `# Limits

${note}

Every limit of the service that is not a setting, by package, with its reason. For operators, and for developers of clients.

Untrusted input is limited in size, count and time. These limits are fixed; [settings](configuration.md) are not. A request beyond a limit is refused with a message that names the field. A document or file beyond a limit cannot be used, and the log has the reason.

${sections.join('\n\n')}
`
}
