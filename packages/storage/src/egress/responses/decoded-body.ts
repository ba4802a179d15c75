import { Readable, type Transform } from 'node:stream'
import { STORAGE_LIMITS } from '../../limits.js'
import { notDelivered } from '../../storage-failures.js'

/** A zlib stream. `bytesWritten`: consumed bytes. */
export interface Decoder extends Transform {
  readonly bytesWritten: number
}

/**
 * A body with one content coding removed. Back-pressure reaches the storage, so only a few buffers are in memory at any
 * compression ratio. Ends without an error only if the source ends without one, exactly at the end of the coding.
 */
export class DecodedBody extends Readable {
  /** Resolves at the first decoded bytes or at the end of an empty file. Rejects if the body breaks earlier. */
  readonly started: Promise<void>
  private begin!: () => void
  private fail!: (error: Error) => void
  private decoder: Decoder | undefined
  private received = 0
  /** Bytes received since the last decoded one. */
  private silent = 0
  private sourceEnded = false
  /** The first byte, until a second one shows the form of the coding. */
  private head = Buffer.alloc(0)

  /** `create` returns the decoder for the first one or two bytes of a body. `onClose` is called once. */
  constructor(
    private readonly source: Readable,
    private readonly create: (head: Buffer) => Decoder,
    private readonly onClose?: () => void,
  ) {
    super({ highWaterMark: STORAGE_LIMITS.decoding.chunk })
    this.started = new Promise((resolve, reject) => {
      this.begin = resolve
      this.fail = reject
    })
    this.started.catch(() => undefined) // inner bodies have no waiter
    this.on('error', () => undefined) // after its reader has left, an error must not crash the process
    source.on('data', (chunk: Buffer) => this.receive(chunk))
    source.once('end', () => this.onSourceEnd())
    source.once('error', () => this.break())
    source.once('close', () => this.sourceEnded || this.break())
  }

  override _read(): void {
    this.decoder?.resume()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    for (const stream of [this.source, this.decoder]) stream?.on('error', () => undefined).destroy()
    this.fail(error ?? notDelivered())
    this.onClose?.()
    done(error)
  }

  private receive(chunk: Buffer): void {
    // a body that decodes to nothing may be endless, and no reader counts its bytes
    if (this.silent > STORAGE_LIMITS.decoding.silent) return void this.break()
    this.received += chunk.length
    this.silent += chunk.length
    if (this.decoder) return void this.decode(chunk)
    this.head = Buffer.concat([this.head, chunk])
    if (this.head.length > 1) this.start()
  }

  private start(): void {
    this.decoder = this.follow(this.create(this.head))
    this.decode(this.head)
  }

  private decode(chunk: Buffer): void {
    if (!this.decoder?.write(chunk)) this.source.pause()
  }

  private follow(decoder: Decoder): Decoder {
    decoder.on('drain', () => this.source.resume())
    decoder.on('data', (chunk: Buffer) => {
      this.silent = 0
      if (!this.push(chunk)) decoder.pause()
      this.begin()
    })
    decoder.once('error', () => this.break())
    decoder.once('end', () => {
      // bytes after the end of the coding
      if (!this.sourceEnded || decoder.bytesWritten < this.received) return void this.break()
      this.push(null)
      this.begin()
    })
    return decoder
  }

  private onSourceEnd(): void {
    this.sourceEnded = true
    // Brotli encodes an empty file as one byte
    if (!this.decoder && this.head.length > 0) this.start()
    if (this.decoder) this.decoder.end()
    else this.break()
  }

  private break(): void {
    if (!this.readableEnded) this.destroy(notDelivered())
  }
}
