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

/** Ends a download whose consumer takes nothing for so many milliseconds; a storage that gives nothing is another matter. */
export function endWhenUntaken({ raw }: FastifyReply, timeout: number): void {
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
    if (reply.request.method !== 'HEAD') return reply.send(body)
  }
  discard(body)
  return reply.send()
}
