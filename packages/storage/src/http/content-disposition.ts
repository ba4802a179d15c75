import { trimmed } from '../egress/blanks.js'
import { decoded, latin1Text, percentDecoded } from './name-text.js'

/**
 * Returns the file name of a Content-Disposition (RFC 6266) like browsers. `filename*` in any charset takes precedence.
 * `filename` may be raw UTF-8 or Latin-1, have unquoted spaces, be percent-encoded, or consist of encoded words. The first
 * readable parameter counts. `header`: in Latin-1.
 */
export function suggestedName(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined
  const [disposition = ''] = [header].flat()
  const values = { 'filename*': [] as string[], filename: [] as string[] }
  for (const [name, value] of parameters(disposition))
    if (name === 'filename' || name === 'filename*') values[name].push(value)
  const extended = values['filename*'].map(extendedName)
  return [...extended, ...values.filename.map(plainName)].find((name) => name !== undefined && name !== '')
}

/** Yields names and values of parameters, and the type without a value. */
function* parameters(text: string): Iterable<[name: string, value: string]> {
  const parameter = /([^=;]*)(?:=\s*(?:"((?:[^"\\]|\\[\s\S])*)"?[^;]*|([^;]*)))?(?:;|$)/y
  while (parameter.lastIndex < text.length) {
    const [, name = '', quoted, token = ''] = parameter.exec(text) ?? []
    // some servers omit the semicolon after the type
    const bare = name.trim().split(/\s/).at(-1) ?? ''
    // other backslashes belong to a Windows path
    yield [bare.toLowerCase(), quoted?.replace(/\\(["\\])/g, '$1') ?? trimmed(token)]
  }
}

/** Decodes an extended value (RFC 8187). Some servers add quotes, or omit charset or percent-encoding. */
function extendedName(value: string): string | undefined {
  const [, charset = '', text = value] = /^([^']*)'[^']*'([\s\S]*)$/.exec(value) ?? []
  return decoded(percentDecoded(text), charset || 'utf-8')
}

function plainName(value: string): string {
  if (value.includes('=?')) return encodedWords(value)
  return (value.includes('%') ? decoded(percentDecoded(value), 'utf-8') : undefined) ?? latin1Text(value)
}

/** Decodes encoded words (RFC 2047). Words of an unknown charset stay unchanged. */
function encodedWords(value: string): string {
  const parts = value.replace(/\?=\s+(?==\?)/g, '?=').split(/(=\?[^?\s]+\?[bq]\?[^?]*\?=)/i)
  let text = ''
  let run: { charset: string; bytes: string; source: string } | undefined
  const end = () => {
    if (run) text += decoded(run.bytes, run.charset) ?? run.source
    run = undefined
  }
  for (const part of parts) {
    // ignores the language after an asterisk (RFC 2231)
    const [, charset, coding = '', coded = ''] = /^=\?([^?*\s]+)(?:\*[^?]*)?\?([bq])\?([^?]*)\?=$/i.exec(part) ?? []
    if (charset === undefined) {
      if (part !== '') end()
      text += latin1Text(part)
      continue
    }
    if (run?.charset !== charset) end()
    run ??= { charset, bytes: '', source: '' }
    // one character may span several words
    run.bytes += /b/i.test(coding) ? Buffer.from(coded, 'base64').toString('latin1') : quotedPrintable(coded)
    run.source += part
  }
  end()
  return text
}

function quotedPrintable(text: string): string {
  return percentDecoded(
    text
      .replace(/_/g, ' ')
      .replace(/%/g, '%25')
      .replace(/=(?=[0-9a-f]{2})/gi, '%'),
  )
}
