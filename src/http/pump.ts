import type { FastifyReply } from 'fastify'
import { discard } from '../storage/egress.js'
import type { OpenedFile } from '../storage/storage.js'
import type { Transfer } from './byte-budgets.js'

/** Bytes that the headers of an opened file declare; without end where they do not. */
export function declared({ headers }: OpenedFile): number {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
}

/**
 * Hands a body on as fast as it is taken, and as its budget allows. It gives as many bytes as were declared, whatever
 * its storage does: what goes beyond would be read as the next answer of the connection, and where some are missing the
 * next answer would be read as the rest of the file. Where it breaks, or is not as long as declared, so does the
 * connection: it must not look like a whole file.
 */
export function pump(opened: OpenedFile, { raw, request }: FastifyReply, transfer?: Transfer): void {
  const { body } = opened
  /** Bytes that are still to come. */
  let left = declared(opened)
  let ended = false
  /** What has come and waits for the budget. */
  let held: Buffer | undefined
  const give = (chunk: Buffer) => {
    const taken = transfer?.take(chunk.length) ?? chunk.length
    if (taken > 0 && !raw.write(taken < chunk.length ? chunk.subarray(0, taken) : chunk)) body.pause()
    if (taken === chunk.length) return
    held = chunk.subarray(taken)
    body.pause()
    transfer?.wait(goOn)
  }
  const goOn = () => {
    const rest = held as Buffer
    held = undefined
    give(rest)
    if (held) return
    if (ended) raw.end()
    else if (!raw.writableNeedDrain) body.resume()
  }
  const breakOff = () => {
    if (ended) return
    discard(body)
    raw.destroy()
  }
  body.on('data', (chunk: Buffer) => {
    left -= chunk.length
    if (left < 0) breakOff()
    else give(chunk)
  })
  body.once('end', () => {
    if (left !== 0 && left !== Number.POSITIVE_INFINITY) return breakOff()
    ended = true
    if (!held) raw.end()
  })
  body.once('error', breakOff).once('close', breakOff)
  raw.on('drain', () => {
    if (!held) body.resume()
  })
  request.lifetime.onEnd(() => {
    if (!ended) discard(body)
  })
}
