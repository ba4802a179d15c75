import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Metrics } from '../metrics/metrics.js'
import { discard } from '../storage/egress.js'
import { WholeBody } from '../storage/exchange.js'
import type { OpenedFile } from '../storage/storage.js'
import { withOthers } from '../turn.js'
import type { Transfer } from './byte-budgets.js'
import { contentDisposition, fallbackName } from './disposition.js'
import { sendFixed } from './errors.js'

/**
 * Counts the bytes of the file as they are written, without another stream between storage and consumer; `onEnd`
 * is told their number, and whether the last one was handed out.
 */
export function count(
  { raw, request }: FastifyReply,
  type: string,
  { body }: OpenedFile,
  metrics: Metrics,
  onEnd: (bytes: number, complete: boolean) => void,
): void {
  let bytes = 0
  if (body instanceof WholeBody) bytes = body.bytes.length
  else {
    const write = raw.write
    raw.write = function counted(chunk: Uint8Array, ...rest: never[]) {
      bytes += chunk.length
      return write.apply(raw, [chunk, ...rest] as never)
    } as typeof raw.write
  }
  metrics.downloadsActive.inc()
  request.lifetime.onEnd(() => {
    const complete = raw.writableFinished
    metrics.downloadsActive.dec()
    metrics.transferred(type, complete, bytes)
    onEnd(bytes, complete)
  })
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
export function sendFile(
  reply: FastifyReply,
  { status, headers, name, body }: OpenedFile,
  index: number,
  transfer?: Transfer,
): FastifyReply {
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
  if (body instanceof WholeBody) {
    transfer?.given(body.bytes.length)
    withOthers('answers', () => raw.end(body.bytes.toString('latin1'), 'latin1'))
  } else pump(body, reply, transfer)
  return reply
}

/** Headers as the list of names and values that is written the fastest; the later ones win. */
function listed(said: Record<string, unknown>, described: Record<string, string>): string[] {
  const list: string[] = []
  for (const name in said) if (!(name in described)) list.push(name, String(said[name]))
  for (const name in described) list.push(name, described[name] as string)
  return list
}

/**
 * Hands a body on as fast as it is taken, and as its budget allows. Where it breaks, the connection does: it must not
 * look like a whole file.
 */
function pump(body: Readable, { raw, request }: FastifyReply, transfer?: Transfer): void {
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
  body.on('data', give)
  body.once('end', () => {
    ended = true
    if (!held) raw.end()
  })
  body.once('error', () => raw.destroy())
  raw.on('drain', () => {
    if (!held) body.resume()
  })
  request.lifetime.onEnd(() => {
    if (!ended) discard(body)
  })
}
