import { bytesText } from '@tidegate/protocol/values'
import { TidegateError } from '../errors.js'
import type { Answer } from './answer.js'

/** Reads a body of at most `limit` bytes as text. Throws like `boundedBytes`. */
export async function boundedText(response: Answer, limit: number): Promise<string> {
  return new TextDecoder().decode(await boundedBytes(response, limit))
}

/** Reads a body of at most `limit` bytes. Throws TidegateError `BAD_ANSWER` for a longer one, and does not fetch the rest. */
export async function boundedBytes(response: Answer, limit: number): Promise<Uint8Array<ArrayBuffer>> {
  const reader = response.body?.getReader()
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  while (reader) {
    const { done, value } = await reader.read()
    if (done || !value) break
    length += value.length
    if (length > limit) {
      reader.cancel().catch(() => undefined)
      throw new TidegateError('BAD_ANSWER', `The provider's answer is longer than ${bytesText(limit)}.`, {
        status: response.status,
      })
    }
    pieces.push(value)
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer())
}
