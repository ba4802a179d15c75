import { SETTINGS, type Setting } from '../src/config/schema.js'
import { ERROR_CATALOGUE, type ErrorKind } from '../src/errors.js'
import { FRAMEWORK_ERRORS, STATUS } from '../src/http/errors.js'
import { openApiDocument } from '../src/http/openapi.js'
import { ALL_ENDPOINTS } from '../src/http/server.js'
import { limitsDocument } from './bounds-doc.js'

/** The documents that are made from the code, by file, with what makes each. */
export const GENERATED: Record<string, () => string> = {
  'docs/configuration.md': configuration,
  'docs/errors.md': errors,
  'docs/limits.md': () => limitsDocument(NOTE),
  'docs/openapi.json': () => `${JSON.stringify(openApiDocument(ALL_ENDPOINTS), null, 2)}\n`,
}

const NOTE = '<!-- Made by `npm run docs` from the code. Change it there. -->'

function configuration(): string {
  const rows = Object.entries(SETTINGS as Record<string, Setting<unknown>>).map(([name, setting]) => {
    const fallback = setting.required ? '**required**' : fallbackOf(setting.default)
    const example = setting.example ? ` Example: \`${setting.example}\`.` : ''
    const legacy = setting.legacy ? ` Legacy name: \`${setting.legacy}\`.` : ''
    return `| \`${name}\` | ${fallback} | ${setting.doc}${example}${legacy}${setting.secret ? ' *Secret.*' : ''} |`
  })
  return `# Settings

${NOTE}

Settings come from the environment, or from a file of \`NAME=value\` lines given as \`tidegate start --config FILE\`; the
environment wins. All of them are checked at start: every problem is listed at once, and the exit code is 2. A name that
is close to a setting but is none is a problem too.

| setting | default | what it does |
|---|---|---|
${rows.join('\n')}
`
}

function errors(): string {
  const own = Object.entries(ERROR_CATALOGUE).map(
    ([code, { kind, cause, remedy }]) => [STATUS[kind as ErrorKind], code, cause, remedy] as const,
  )
  const framework = Object.values(FRAMEWORK_ERRORS).map(
    ([status, code, message, remedy]) => [status, code, message, remedy] as const,
  )
  const unique = new Map([...own, ...framework].map((row) => [`${row[0]} ${row[1]}`, row]))
  const rows = [...unique.values()].map((row) => `| ${row[0]} | \`${row[1]}\` | ${row[2]} | ${row[3]} |`)
  return `# Errors

${NOTE}

Every error is JSON. A problem with named parameters is
\`{"errors":{"<field>":["<message>"]},"message":"Validation error","success":false}\` with status 400; anything else is
\`{"error":"<message>","code":"<CODE>"}\`. Codes are stable, messages may be reworded. No error tells where a file is.

| status | code | cause | remedy |
|---|---|---|---|
${rows.join('\n')}
`
}

/** A default as it would be written in the environment. */
function fallbackOf(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return ''
  const text = Array.isArray(value)
    ? value.map((item) => (Array.isArray(item) ? [...new Set(item)].join('-') : item)).join(',')
    : String(value)
  return `\`${text}\``
}
