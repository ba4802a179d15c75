import type { FastifyReply } from 'fastify'
import type { Metrics } from '../metrics/metrics.js'
import { discard } from '../storage/egress.js'
import { WholeBody } from '../storage/exchange.js'
import type { OpenedFile } from '../storage/storage.js'
import { withOthers } from '../turn.js'
import type { Transfer } from './byte-budgets.js'
import { contentDisposition, fallbackName } from './disposition.js'
import { sendFixed } from './errors.js'
import { declared, pump } from './pump.js'

/**
 * Counts the bytes of the file as they are written, without another stream between storage and consumer; `onEnd`
 * is told their number, and whether the last one was handed out.
 */
export function count(
  { raw, request }: FastifyReply,
  type: string,
  opened: OpenedFile,
  metrics: Metrics,
  onEnd: (bytes: number, complete: boolean) => void,
): void {
  let bytes = 0
  const whole = atOnce(opened)
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
  // an answer whose connection goes finishes as well, with bytes that nobody has taken
  raw.once('finish', () => {
    complete = !socket.destroyed
  })
  metrics.downloadsActive.inc()
  request.lifetime.onEnd(() => {
    metrics.downloadsActive.dec()
    metrics.transferred(type, complete, bytes)
    onEnd(bytes, complete)
  })
}

/** The bytes of a file that came whole, and as long as its headers say; undefined for any other. */
function atOnce(opened: OpenedFile): Buffer | undefined {
  if (!(opened.body instanceof WholeBody)) return undefined
  const { bytes } = opened.body
  const length = declared(opened)
  return length === bytes.length || length === Number.POSITIVE_INFINITY ? bytes : undefined
}

/** Whether an opened file is the whole one, also where it is a range of it from its first byte to its last. */
export function isWhole({ status, headers }: OpenedFile): boolean {
  if (status === 200) return true
  const [, last, length] = /^bytes 0-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? []
  return status === 206 && last !== undefined && BigInt(last) + 1n === BigInt(length as string)
}

/** Bytes that a client's side takes in without being there. */
const SMALL = 65_536

/**
 * Ends an answer of so many bytes (NaN: unknown) whose client takes nothing for so many milliseconds; a storage that
 * gives nothing is another matter.
 */
export function endWhenUntaken({ raw }: FastifyReply, bytes: number, timeout: number): void {
  if (bytes <= SMALL) return
  raw.setTimeout(timeout, () => {
    if (raw.writableLength > 0) raw.destroy()
  })
}

const OWN_HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' }

/**
 * Streams an opened file, no faster than the budget of its consumer allows; nothing of the storage's headers passes but
 * what the file's own description needs.
 */
export function sendFile(reply: FastifyReply, opened: OpenedFile, index: number, transfer?: Transfer): FastifyReply {
  const { status, headers, name, body } = opened
  if (status === 416) {
    discard(body)
    return sendFixed(reply.headers({ ...headers, ...OWN_HEADERS }).removeHeader('content-length'), 'RANGE')
  }
  const { raw, request } = reply
  const described: Record<string, string> = { ...headers, ...OWN_HEADERS }
  if (status !== 304) {
    described['content-disposition'] = contentDisposition(name, fallbackName(index, headers['content-type']))
    described['content-type'] ||= 'application/octet-stream'
  }
  if (status === 304 || request.method === 'HEAD') {
    discard(body)
    return reply.code(status).headers(described).send()
  }
  // past the framework, whose own way of sending a stream costs as much as all the checks before
  reply.hijack()
  raw.writeHead(status, listed(reply.getHeaders(), described))
  const whole = atOnce(opened)
  if (whole) {
    transfer?.given(whole.length)
    withOthers('answers', () => raw.end(whole.toString('latin1'), 'latin1'))
  } else pump(opened, reply, transfer)
  return reply
}

/** Headers as the list of names and values that is written the fastest; the later ones win. */
function listed(said: Record<string, unknown>, described: Record<string, string>): string[] {
  const list: string[] = []
  for (const name in said) if (!(name in described)) list.push(name, String(said[name]))
  for (const name in described) list.push(name, described[name] as string)
  return list
}
