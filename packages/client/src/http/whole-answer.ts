import type { Answer } from './answer.js'
import { type Api, asOwn, type Sent } from './api.js'
import { boundedText } from './body.js'
import { deadline, tooSlow } from './deadline.js'

/** A response that was read to its end. */
export interface WholeAnswer {
  status: number
  headers: Answer['headers']
  text: string
}

/** Limits of a response: milliseconds for all of it, and bytes of its body. `signal` ends it earlier. */
interface WholeLimits {
  time: number
  most: number
  signal?: AbortSignal | undefined
}

/** Sends a request and reads the whole response, within limits. Throws like `Api.send`, and `UNREACHABLE` for a body that breaks off. */
export async function wholeAnswer(
  api: Api,
  sent: Omit<Sent, 'signal' | 'timeout'>,
  { time, most, signal }: WholeLimits,
): Promise<WholeAnswer> {
  const limit = deadline(signal, time, tooSlow(time))
  try {
    const answer = await api.send({ ...sent, timeout: time, signal: limit.signal })
    return { status: answer.status, headers: answer.headers, text: await boundedText(answer, most) }
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : asOwn(error)
  } finally {
    limit.end()
  }
}
