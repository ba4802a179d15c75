import { TidegateError } from '../errors.js'
import { bytesText } from '../text.js'
import type { Answer } from './api.js'

/**
 * Reads a body of at most `limit` bytes as text. Throws TidegateError `BAD_ANSWER` for a longer one, and does not fetch the
 * rest.
 */
export async function boundedText(response: Answer, limit: number): Promise<string> {
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  let length = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done || !value) return text + decoder.decode()
    length += value.length
    if (length > limit) {
      reader.cancel().catch(() => undefined)
      throw new TidegateError('BAD_ANSWER', `The provider's answer is longer than ${bytesText(limit)}.`, {
        status: response.status,
      })
    }
    text += decoder.decode(value, { stream: true })
  }
}
