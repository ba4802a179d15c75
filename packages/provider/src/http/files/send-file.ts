import type { TickBatch } from '@tidegate/common'
import { BufferedBody, discard, type OpenedFile, parseContentRange } from '@tidegate/storage'
import type { FastifyReply } from 'fastify'
import { sendFixed } from '../errors.js'
import type { Transfer } from '../limits/byte-budgets.js'
import { setWriteStallTimeout } from '../limits/reading.js'
import { contentDisposition, fallbackName } from './disposition.js'
import { declaredLength, pump } from './pump.js'

/** The outcome of a response with a file. */
export interface SentFile {
  /** Bytes of the file that were written. */
  bytes: number
  /** Whether the whole response was written, over a connection that was open. */
  complete: boolean
}

export interface SendOptions {
  /** Position in its service, for the name of a file without one. */
  index: number
  batch: TickBatch
  /** Milliseconds after which a client that reads nothing is cut off. */
  stallTimeout: number
  /** The byte budget of the client, if bytes are limited. */
  transfer: Transfer | undefined
  /** The service's own headers. Default: no cache keeps the file. */
  headers?: Record<string, string>
  /** Called once when the response has ended. */
  onEnd(sent: SentFile): void
}

const OWN_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/**
 * Sends an opened file. Only the storage headers in `opened.headers`, which describe the file itself, are passed on.
 */
export function sendFile(reply: FastifyReply, opened: OpenedFile, options: SendOptions): FastifyReply {
  const { lifetime } = reply.request
  const sent = write(reply, opened, options)
  lifetime.onEnd(() => options.onEnd({ bytes: sent.bytes, complete: lifetime.answered }))
  return reply
}

/** Writes the response. Returns the counter of the file's bytes. */
function write(reply: FastifyReply, opened: OpenedFile, options: SendOptions): { readonly bytes: number } {
  const { index, batch, stallTimeout, transfer, headers: own = OWN_HEADERS } = options
  const { status, headers, name, body } = opened
  const { raw, request } = reply
  if (status === 416) {
    discard(body)
    sendFixed(reply.headers({ ...headers, ...OWN_HEADERS }).removeHeader('content-length'), 'RANGE')
    return NOTHING
  }
  const described =
    status === 304
      ? { ...headers, ...own }
      : describedBy(headers, own, contentDisposition(name, fallbackName(index, headers['content-type'])))
  if (status === 304 || request.method === 'HEAD') {
    discard(body)
    reply.code(status).headers(described).send()
    return NOTHING
  }
  // bypasses the framework: its stream handling costs as much as all the checks before
  reply.hijack()
  setWriteStallTimeout(reply, Number(headers['content-length']), stallTimeout)
  raw.writeHead(status, headerList(reply.getHeaders(), described))
  const whole = bufferedBytes(opened)
  if (!whole) return pump(opened, reply, transfer)
  transfer?.delivered(whole.length)
  batch.addIfShared('responses', () => raw.end(whole.toString('latin1'), 'latin1'))
  return { bytes: whole.length }
}

const NOTHING = { bytes: 0 }

/** Returns the bytes of the file that a response is going to contain; undefined if their number is unknown. */
export function lengthOf(opened: OpenedFile): number | undefined {
  if (opened.status > 206) return 0
  const length = bufferedBytes(opened)?.length ?? declaredLength(opened)
  return Number.isFinite(length) ? length : undefined
}

/** Returns whether the response contains the whole file, even as a range from the first byte to the last. */
export function isWholeFile({ status, headers }: OpenedFile): boolean {
  if (status === 200) return true
  const part = status === 206 ? parseContentRange(headers['content-range']) : undefined
  return part?.first === 0 && part.last + 1 === part.total
}

/** Returns the bytes of a fully buffered file whose length matches its headers; undefined for any other. */
function bufferedBytes(opened: OpenedFile): Buffer | undefined {
  if (!(opened.body instanceof BufferedBody)) return undefined
  const { bytes } = opened.body
  const length = declaredLength(opened)
  return length === bytes.length || length === Number.POSITIVE_INFINITY ? bytes : undefined
}

/** Returns the headers of a response with a file, or a part of it. The storage's do not override the service's own. */
function describedBy(
  headers: OpenedFile['headers'],
  own: Record<string, string>,
  disposition: string,
): Record<string, string> {
  const type = headers['content-type'] || 'application/octet-stream'
  // content-disposition first: V8 is slow to extend an object that begins as a copy
  return { 'content-disposition': disposition, ...headers, ...own, 'content-type': type }
}

/** Flattens headers to the list that Node writes fastest. `described` overrides `defaults`. */
function headerList(defaults: Record<string, unknown>, described: Record<string, string>): string[] {
  const list: string[] = []
  for (const name in defaults) if (!(name in described)) list.push(name, String(defaults[name]))
  for (const name in described) list.push(name, described[name] as string)
  return list
}
