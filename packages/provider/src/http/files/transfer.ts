import type { TickBatch } from '@tidegate/common'
import { StorageError } from '@tidegate/protocol'
import { BufferedBody, discard, type OpenedFile, parseContentRange } from '@tidegate/storage'
import type { FastifyReply } from 'fastify'
import type { Metrics } from '../../metrics/metrics.js'
import { sendFixed } from '../errors.js'
import type { Transfer } from '../limits/byte-budgets.js'
import { contentDisposition, fallbackName } from './disposition.js'
import { declaredLength, pump } from './pump.js'

/**
 * Counts the bytes of the file as they are written, without another stream between storage and consumer. Calls `onEnd`
 * with the number of bytes, and whether the transfer is complete.
 */
export function countTransfer(
  { raw, request }: FastifyReply,
  type: string,
  opened: OpenedFile,
  metrics: Metrics,
  onEnd: (bytes: number, complete: boolean) => void,
): void {
  let bytes = 0
  const whole = bufferedBytes(opened)
  if (whole) bytes = whole.length
  else {
    const write = raw.write
    raw.write = function counted(chunk: Uint8Array, ...rest: never[]) {
      bytes += chunk.length
      return write.apply(raw, [chunk, ...rest] as never)
    } as typeof raw.write
  }
  const { socket } = request.raw
  let complete = false
  // 'finish' also fires when the connection closes, with bytes that the client never received
  raw.once('finish', () => {
    complete = !socket.destroyed
  })
  metrics.downloadsActive.inc()
  request.lifetime.onEnd(() => {
    metrics.downloadsActive.dec()
    metrics.countDownload(type, complete, bytes)
    onEnd(bytes, complete)
  })
}

/** Returns the bytes of a fully buffered file whose length matches its headers; undefined for any other. */
function bufferedBytes(opened: OpenedFile): Buffer | undefined {
  if (!(opened.body instanceof BufferedBody)) return undefined
  const { bytes } = opened.body
  const length = declaredLength(opened)
  return length === bytes.length || length === Number.POSITIVE_INFINITY ? bytes : undefined
}

/** Returns the length of a response in bytes; undefined if it is unknown. */
export function lengthOf(opened: OpenedFile): number | undefined {
  if (opened.status > 206) return 0
  const length = bufferedBytes(opened)?.length ?? declaredLength(opened)
  return Number.isFinite(length) ? length : undefined
}

/**
 * Does some work before an opened file is sent, and watches its body meanwhile. Throws StorageError if the storage
 * fails meanwhile. Discards the file if the work fails.
 */
export async function beforeSending<T>({ body }: OpenedFile, work: () => Promise<T>): Promise<T> {
  const ignore = () => undefined
  body.on('error', ignore)
  try {
    const result = await work()
    if (body.destroyed) throw new StorageError('STORAGE_REFUSED', 'The storage has ended the transfer.')
    return result
  } catch (error) {
    discard(body)
    throw error
  } finally {
    body.off('error', ignore)
  }
}

/** Returns whether the response contains the whole file, even as a range from the first byte to the last. */
export function isWholeFile({ status, headers }: OpenedFile): boolean {
  if (status === 200) return true
  const part = status === 206 ? parseContentRange(headers['content-range']) : undefined
  return part?.first === 0 && part.last + 1 === part.total
}

/** Bytes that socket buffers accept although the client reads nothing. */
export const SOCKET_BUFFER = 65_536

/**
 * Destroys a response of `bytes` bytes (NaN: unknown) whose client reads nothing for `timeout` milliseconds. A stalled
 * storage does not count: egress has its own timeout for that.
 */
export function setWriteStallTimeout({ raw }: FastifyReply, bytes: number, timeout: number): void {
  if (bytes <= SOCKET_BUFFER) return
  raw.setTimeout(timeout, () => {
    if (raw.writableLength > 0) raw.destroy()
  })
}

const OWN_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/**
 * Streams an opened file within the byte budget of its consumer. Only the storage headers in `opened.headers`, which
 * describe the file itself, are passed on.
 */
export function sendFile(
  reply: FastifyReply,
  opened: OpenedFile,
  { index, batch, transfer }: { index: number; batch: TickBatch; transfer?: Transfer | undefined },
): FastifyReply {
  const { status, headers, name, body } = opened
  if (status === 416) {
    discard(body)
    return sendFixed(reply.headers({ ...headers, ...OWN_HEADERS }).removeHeader('content-length'), 'RANGE')
  }
  const { raw, request } = reply
  const described = status === 304 ? { ...headers, ...OWN_HEADERS } : describedBy(headers, name, index)
  if (status === 304 || request.method === 'HEAD') {
    discard(body)
    return reply.code(status).headers(described).send()
  }
  // bypass the framework: its stream handling costs as much as all the checks before
  reply.hijack()
  raw.writeHead(status, headerList(reply.getHeaders(), described))
  const whole = bufferedBytes(opened)
  if (whole) {
    transfer?.delivered(whole.length)
    batch.addIfShared('responses', () => raw.end(whole.toString('latin1'), 'latin1'))
  } else pump(opened, reply, transfer)
  return reply
}

/** Returns the headers of a response with a file, or a part of it. No storage overrides those of our own. */
function describedBy(headers: OpenedFile['headers'], name: string | undefined, index: number): Record<string, string> {
  const type = headers['content-type'] || 'application/octet-stream'
  // a name of its own first: an object that begins as a copy takes microseconds to grow
  const described = { 'content-disposition': '', ...headers, ...OWN_HEADERS, 'content-type': type }
  described['content-disposition'] = contentDisposition(name, fallbackName(index, headers['content-type']))
  return described
}

/** Flattens headers to the list that Node writes fastest. `described` overrides `defaults`. */
function headerList(defaults: Record<string, unknown>, described: Record<string, string>): string[] {
  const list: string[] = []
  for (const name in defaults) if (!(name in described)) list.push(name, String(defaults[name]))
  for (const name in described) list.push(name, described[name] as string)
  return list
}
