import { LRUCache } from 'lru-cache'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { SearchCaller } from '../limits/anonymous.js'

const { maxAge, kept: MOST } = PROVIDER_LIMITS.catalogue

/** Made texts, each for as long as caches may keep it: a page describes up to 50 assets, and anybody may ask for it again and again. */
export class KeptTexts {
  private readonly texts = new LRUCache<string, string>({
    ttl: maxAge * 1000,
    maxSize: MOST,
    sizeCalculation: (text, key) => text.length + key.length,
  })
  /** By client and key: nobody waits for the searches of another. */
  private readonly making = new Map<string, Promise<string>>()

  /** Returns a text, which is made once for all of a client who want it at one time. Throws what `make` throws. */
  async text(key: string, { signal, client = '' }: SearchCaller, make: () => Promise<string>): Promise<string> {
    const own = `${client} ${key}`
    for (;;) {
      signal.throwIfAborted()
      const running = this.making.get(own)
      if (!running) break
      // if another request left, each of the others tries by itself
      await running.catch(() => undefined)
    }
    const known = this.texts.get(key)
    if (known !== undefined) return known
    const made = make()
    this.making.set(own, made)
    try {
      const text = await made
      this.texts.set(key, text)
      return text
    } finally {
      this.making.delete(own)
    }
  }

  /** Yields a text in parts; a short one is kept. */
  async *parts(key: string, make: () => AsyncGenerator<string>): AsyncGenerator<string> {
    const known = this.texts.get(key)
    if (known !== undefined) return yield known
    let text = ''
    for await (const part of make()) {
      // the cache refuses a longer text
      if (text.length <= MOST) text += part
      yield part
    }
    this.texts.set(key, text)
  }
}
