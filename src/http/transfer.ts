import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Metrics } from '../metrics/metrics.js'
import { discard } from '../storage/egress.js'
import type { OpenedFile } from '../storage/storage.js'
import { contentDisposition, fallbackName } from './disposition.js'
import { sendFixed } from './errors.js'

/**
 * Counts the bytes of the file as they are written, without another stream between storage and consumer; `onEnd`
 * is told their number, and whether the last one was handed out.
 */
export function count(
  { raw }: FastifyReply,
  type: string,
  { downloads, downloadBytes, downloadsActive }: Metrics,
  onEnd: (bytes: number, complete: boolean) => void,
): void {
  let bytes = 0
  const write = raw.write
  raw.write = function counted(chunk: Uint8Array, ...rest: never[]) {
    bytes += chunk.length
    return write.apply(raw, [chunk, ...rest] as never)
  } as typeof raw.write
  downloadsActive.inc()
  raw.once('close', () => {
    downloadsActive.dec()
    downloadBytes.inc(bytes)
    downloads.inc({ type, outcome: raw.writableFinished ? 'complete' : 'broken' })
    onEnd(bytes, raw.writableFinished)
  })
}

type Raw = FastifyReply['raw']

/** Bytes that a consumer's side takes in without being there. */
const SMALL = 65_536

/** Ends a download whose consumer takes nothing for so many milliseconds; a storage that gives nothing is another matter. */
export function endWhenUntaken({ raw }: FastifyReply, { headers }: OpenedFile, timeout: number): void {
  if (Number(headers['content-length']) <= SMALL) return
  raw.setTimeout(timeout, () => {
    if (raw.writableLength > 0) raw.destroy()
  })
}

/** Streams an opened file; nothing of the storage's headers passes but what the file's own description needs. */
export function sendFile(
  reply: FastifyReply,
  { status, headers, name, body }: OpenedFile,
  index: number,
): FastifyReply {
  reply.code(status).headers({ ...headers, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' })
  if (status === 416) {
    discard(body)
    return sendFixed(reply.removeHeader('content-length'), 'RANGE')
  }
  if (status !== 304) {
    reply.header('content-disposition', contentDisposition(name, fallbackName(index, headers['content-type'])))
    if (!headers['content-type']) reply.type('application/octet-stream')
    if (reply.request.method !== 'HEAD') {
      // past the framework, whose own way of sending a stream costs as much as all the checks before
      reply.hijack()
      reply.raw.writeHead(status, reply.getHeaders() as Parameters<Raw['writeHead']>[1])
      pump(body, reply.raw)
      return reply
    }
  }
  discard(body)
  return reply.send()
}

/** Hands a body on as fast as it is taken. Where it breaks, the connection does: it must not look like a whole file. */
function pump(body: Readable, raw: Raw): void {
  let ended = false
  body.on('data', (chunk: Buffer) => {
    if (!raw.write(chunk)) body.pause()
  })
  body.once('end', () => {
    ended = true
    raw.end()
  })
  body.once('error', () => raw.destroy())
  raw.on('drain', () => body.resume())
  raw.once('close', () => {
    if (!ended) discard(body)
  })
}
