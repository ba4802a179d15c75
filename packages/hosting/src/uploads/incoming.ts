import type { Readable } from 'node:stream'
import { ERRORS } from '@tus/server'
import { HOSTING_LIMITS } from '../limits.js'

/**
 * The chunks of a request body as they arrive. A stream in between would copy them. A reader that leaves early does not
 * destroy the request, so it can still be answered.
 */
export class Incoming implements AsyncIterable<Uint8Array> {
  private readonly queue: Uint8Array[] = []
  private queued = 0
  private end: 'complete' | 'broken' | undefined
  private wake = () => {}

  constructor(private readonly body: Readable | undefined) {
    if (!body) this.end = 'complete'
  }

  /** Ends the iteration after the chunks that have arrived. */
  stop(): void {
    this.finish('complete')
  }

  /** Throws the tus server's error for an aborted request if the body breaks. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    const body = this.body
    const take = (chunk: Uint8Array) => {
      this.queue.push(chunk)
      this.queued += chunk.length
      if (this.queued >= HOSTING_LIMITS.hosting.batch) body?.pause()
      this.wake()
    }
    const complete = () => this.finish('complete')
    const broken = () => this.finish('broken')
    // the error listener stays, so that a later error does not crash the process
    body?.on('data', take).once('end', complete).once('close', broken).on('error', broken)
    if (body?.destroyed) broken()
    try {
      for (;;) {
        for (let chunk = this.queue.shift(); chunk; chunk = this.queue.shift()) {
          this.queued -= chunk.length
          yield chunk
        }
        if (this.end === 'broken') throw ERRORS.ABORTED
        if (this.end) return
        body?.resume()
        await new Promise<void>((resolve) => {
          this.wake = resolve
        })
      }
    } finally {
      body?.off('data', take).off('end', complete).off('close', broken).pause()
    }
  }

  private finish(end: 'complete' | 'broken'): void {
    this.end ??= end
    this.wake()
  }
}
