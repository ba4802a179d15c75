import { discard, FileBody, type OpenedFile } from '@tidegate/storage'
import type { FastifyReply } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Transfer } from '../limits/byte-budgets.js'

/** Returns the Content-Length of an opened file in bytes; Infinity if unknown. */
export function declaredLength({ headers }: OpenedFile): number {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
}

/**
 * Pipes a body to the client, subject to back-pressure and the byte budget. Never writes more or fewer bytes than
 * declared, whatever the storage sends: a client would parse excess bytes as the next response, and the next response as
 * the missing rest of the file. If the body fails or has another length, the connection is destroyed, so that the
 * transfer cannot look complete. A fast storage and a fast client get a slice of each turn of the event loop, since the
 * system would go on reading one connection for megabytes while others and new requests wait.
 */
export function pump(opened: OpenedFile, { raw, request }: FastifyReply, transfer?: Transfer): void {
  const { body } = opened
  /** Bytes of the declared length not yet received. */
  let remaining = declaredLength(opened)
  let ended = false
  /** Received bytes that wait for the budget. */
  let held: Buffer | undefined
  const send =
    body instanceof FileBody
      ? (chunk: Buffer) => raw.write(chunk, (error) => void (error ?? body.recycle(chunk)))
      : (chunk: Buffer) => raw.write(chunk)
  /** Bytes written since the other transfers and requests had their turn. */
  let written = 0
  /** Reads on, unless something still waits to be written. */
  const readOn = () => {
    if (!held && !raw.writableNeedDrain) body.resume()
  }
  /** As readOn, but lets others have their turn after every slice. */
  const readInTurn = () => {
    if (written < PROVIDER_LIMITS.bytes.slice) return readOn()
    written = 0
    setImmediate(readOn)
  }
  const write = (chunk: Buffer) => {
    const taken = transfer?.take(chunk.length) ?? chunk.length
    written += taken
    if (taken > 0 && !send(taken < chunk.length ? chunk.subarray(0, taken) : chunk)) body.pause()
    else if (written >= PROVIDER_LIMITS.bytes.slice) {
      body.pause()
      readInTurn()
    }
    if (taken === chunk.length) return
    held = chunk.subarray(taken)
    body.pause()
    transfer?.wait(resume)
  }
  const resume = () => {
    const rest = held as Buffer
    held = undefined
    write(rest)
    if (held) return
    if (ended) raw.end()
    else readOn()
  }
  const abort = () => {
    if (ended) return
    discard(body)
    raw.destroy()
  }
  body.on('data', (chunk: Buffer) => {
    remaining -= chunk.length
    if (remaining < 0) abort()
    else write(chunk)
  })
  body.once('end', () => {
    if (remaining !== 0 && remaining !== Number.POSITIVE_INFINITY) return abort()
    ended = true
    if (!held) raw.end()
  })
  body.once('error', abort).once('close', abort)
  raw.on('drain', readInTurn)
  request.lifetime.onEnd(() => {
    if (!ended) discard(body)
  })
}
