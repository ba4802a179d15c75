import { discard, type OpenedFile } from '@tidegate/storage'
import type { FastifyReply } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Transfer } from '../limits/byte-budgets.js'

/** Returns the Content-Length of an opened file in bytes; Infinity if unknown. */
export function declaredLength({ headers }: Pick<OpenedFile, 'headers'>): number {
  return Number(headers['content-length'] ?? Number.POSITIVE_INFINITY)
}

/**
 * Pipes a body to the client, subject to back-pressure and the byte budget. Returns the counter of written bytes.
 *
 * Never writes more or fewer bytes than declared, whatever the storage sends: a client would parse excess bytes as the
 * next response, and the next response as the missing rest of the file. If the body fails or has another length, the
 * connection is destroyed, so that the transfer cannot look complete.
 */
export function pump(
  opened: OpenedFile,
  { raw, request }: FastifyReply,
  transfer?: Transfer,
): { readonly bytes: number } {
  const running = new Pump(opened, raw, transfer)
  request.lifetime.onEnd(() => running.leave())
  return running
}

/** A transfer between a fast storage and a fast client yields to the event loop after every slice. */
class Pump {
  /** Bytes written to the client. */
  bytes = 0
  private readonly body: OpenedFile['body']
  private readonly send: (chunk: Buffer) => boolean
  /** Bytes of the declared length not yet received. */
  private remaining: number
  private ended = false
  /** Received bytes that wait for the budget. */
  private held: Buffer | undefined
  /** Bytes written in this slice. */
  private slice = 0
  /** Successive writes that the connection took at once. */
  private quick = 0

  constructor(
    opened: OpenedFile,
    private readonly raw: FastifyReply['raw'],
    private readonly transfer: Transfer | undefined,
  ) {
    const { body } = opened
    this.body = body
    this.remaining = declaredLength(opened)
    this.send = (chunk) =>
      raw.write(chunk, (error) => {
        if (error) return
        body.recycle?.(chunk)
        this.readOn()
      })
    const abort = () => this.abort()
    body.on('data', (chunk: Buffer) => this.take(chunk))
    body.once('end', () => this.finish())
    body.once('error', abort).once('close', abort)
  }

  /** Discards the rest of the body: the client has left. */
  leave(): void {
    if (!this.ended) discard(this.body)
  }

  private take(chunk: Buffer): void {
    this.remaining -= chunk.length
    if (this.remaining < 0) this.abort()
    else this.write(chunk)
  }

  private write(chunk: Buffer): void {
    const { body } = this
    const taken = this.transfer?.take(chunk.length) ?? chunk.length
    this.bytes += taken
    this.slice += taken
    const isAccepted = taken === 0 || this.send(taken < chunk.length ? chunk.subarray(0, taken) : chunk)
    // until the client has shown to be fast: the body would read another chunk, and hold it
    const isSlow = this.quick < PROVIDER_LIMITS.bytes.quickWrites
    if (isSlow) body.pause()
    if (this.slice >= PROVIDER_LIMITS.bytes.slice) this.endSlice()
    else if (isSlow || !isAccepted) process.nextTick(this.pauseIfFull)
    if (taken === chunk.length) return
    this.held = chunk.subarray(taken)
    body.pause()
    this.transfer?.wait(() => this.resume())
  }

  private resume(): void {
    const rest = this.held as Buffer
    this.held = undefined
    this.write(rest)
    if (this.held) return
    if (this.ended) this.raw.end()
    else this.readOn()
  }

  /** Pauses the body while the client is slower. Runs after the write, which Node hands to the system at the end of a tick. */
  private readonly pauseIfFull = (): void => {
    if (this.raw.writableLength > 0) {
      this.quick = 0
      this.body.pause()
    } else {
      this.quick += 1
      this.readOn()
    }
  }

  private endSlice(): void {
    this.body.pause()
    setImmediate(() => {
      this.slice = 0
      this.readOn()
    })
  }

  /** Reads on, unless something still waits to be written or the slice has ended. */
  private readOn(): void {
    if (!this.held && this.raw.writableLength === 0 && this.slice < PROVIDER_LIMITS.bytes.slice) this.body.resume()
  }

  private finish(): void {
    const isComplete = this.remaining === 0 || this.remaining === Number.POSITIVE_INFINITY
    if (!isComplete) this.abort()
    else {
      this.ended = true
      if (!this.held) this.raw.end()
    }
  }

  private abort(): void {
    if (this.ended) return
    discard(this.body)
    this.raw.destroy()
  }
}
