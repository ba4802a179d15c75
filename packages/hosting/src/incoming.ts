import type { Readable } from 'node:stream'
import { ERRORS } from '@tus/server'
import { HOSTING_LIMITS } from './limits.js'

/**
 * The bytes of a request, each chunk as it arrives: a stream in between would copy them together. Whoever leaves before
 * their end, or stops, leaves the request as it is, so that it can still be answered.
 */
export class Incoming implements AsyncIterable<Uint8Array> {
  private readonly queue: Uint8Array[] = []
  private queued = 0
  private end: 'complete' | 'broken' | undefined
  private wake = () => {}

  constructor(private readonly body: Readable | undefined) {
    if (!body) this.end = 'complete'
  }

  /** Ends the bytes after those that have arrived. */
  stop(): void {
    this.finish('complete')
  }

  /** Throws what the tus server takes for a request that broke off. */
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
    // the last one stays: an error that comes later must not crash the process
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
