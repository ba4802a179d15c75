import { BYTE_ORDER_MARK } from '../constants.js'

/** Returns a text without its byte order mark. */
export function withoutMark(text: string): string {
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text
}
