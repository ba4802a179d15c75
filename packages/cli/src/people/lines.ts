import { CLI_LIMITS } from '../limits.js'

/** Yields the values of a text of JSON lines. Leaves out lines that are too long or not JSON, without a copy of all lines. */
export function* jsonLines(text: string): Generator<unknown> {
  for (let at = 0, end = 0; at < text.length; at = end + 1) {
    end = text.indexOf('\n', at)
    if (end === -1) end = text.length
    if (end === at || end - at > CLI_LIMITS.texts.line) continue
    try {
      yield JSON.parse(text.slice(at, end))
    } catch {
      // skips an interrupted line
    }
  }
}
