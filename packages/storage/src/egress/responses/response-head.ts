import { trimmed } from '../blanks.js'

/** A response head that is not HTTP/1, too long, or of an unknown framing. */
export class MalformedResponse extends Error {
  readonly code = 'STORAGE_MALFORMED'
}

const STATUS_LINE = /^HTTP\/1\.[01] ([1-9]\d\d)[ \r\n]/
/** A line that ends without CR, or goes on in the next one. Parsers differ about both. */
const ODD_LINE = /[^\r]\n|\n[ \t]/
const CODINGS = /^transfer-encoding[ \t]*:(.*)$/gim

/**
 * Returns the status of a response head (Latin-1, with its empty line). Refuses what the parser of undici lets pass, although it
 * leaves the end of the body open: a coding besides chunks, whose bytes would become the file.
 * @throws MalformedResponse
 */
export function statusOf(head: string): number {
  const status = STATUS_LINE.exec(head)?.[1]
  if (status === undefined) throw new MalformedResponse('no status line')
  if (ODD_LINE.test(head)) throw new MalformedResponse('odd line')
  for (const [, coding = ''] of head.matchAll(CODINGS))
    if (trimmed(coding).toLowerCase() !== 'chunked') throw new MalformedResponse('ambiguous framing')
  return Number(status)
}
