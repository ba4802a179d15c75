import { readFileSync } from 'node:fs'
import ts from 'typescript'

/** One limit of src/bounds.ts: its path, its value as written, and the comment that says unit and reason. */
export interface Bound {
  path: string
  value: string
  reason: string
}

/** Every limit of src/bounds.ts, in its order. Throws where one has no comment. */
export function bounds(): Bound[] {
  const url = new URL('../src/bounds.ts', import.meta.url)
  const source = ts.createSourceFile('bounds.ts', readFileSync(url, 'utf8'), ts.ScriptTarget.Latest, true)
  const found: Bound[] = []
  const walk = (object: ts.ObjectLiteralExpression, path: string[], shared?: string): void => {
    for (const property of object.properties) {
      if (!ts.isPropertyAssignment(property)) throw new Error('bounds.ts holds more than plain values.')
      const at = [...path, property.name.getText(source)]
      const value = property.initializer
      // limits of one kind share a comment; groups have none
      const reason = commentOf(property) ?? shared
      if (ts.isObjectLiteralExpression(value)) walk(value, at, path.length > 0 ? reason : undefined)
      else if (reason) found.push({ path: at.join('.'), value: value.getText(source), reason })
      else throw new Error(`${at.join('.')} of bounds.ts has no comment that says its unit and reason.`)
    }
  }
  ts.forEachChild(source, (node) => {
    if (!ts.isVariableStatement(node)) return
    for (const { initializer } of node.declarationList.declarations)
      if (initializer && ts.isAsExpression(initializer) && ts.isObjectLiteralExpression(initializer.expression))
        walk(initializer.expression, [])
  })
  return found
}

function commentOf(property: ts.PropertyAssignment): string | undefined {
  const [comment] = ts.getJSDocCommentsAndTags(property)
  const text = comment && ts.isJSDoc(comment) ? ts.getTextOfJSDocComment(comment.comment) : undefined
  return text?.replace(/\s+/g, ' ')
}

/** docs/limits.md. */
export function limitsDocument(note: string): string {
  const rows = bounds().map(({ path, value, reason }) => `| ${path} | ${value.replaceAll('_', ',')} | ${reason} |`)
  return `# Limits

${note}

What comes from outside is limited in size, in count and in time. These limits are the service's own, the same everywhere; those
that an operator may set are among the [settings](configuration.md). A request beyond one of them is refused with a message that
names the field, a document or file that is beyond one cannot be used, and the log says why.

| limit | value | unit and reason |
|---|---|---|
${rows.join('\n')}
`
}
