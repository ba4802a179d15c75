import { LimitError } from '@tidegate/protocol'
import { DAY } from '@tidegate/protocol/constants'
import type { ProvenConsumer } from '../../auth/authenticate.js'
import type { Settings } from '../../config/schema.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { secondsLeft } from './retry-later.js'
import type { Usage, UsageStore } from './usage-table.js'

/** A download that counts against the daily bytes of its consumer. */
export interface CountedDownload {
  /** Replaces the reservation by the bytes sent. Never throws. */
  end(bytes: number): void
}

type Consumer = Pick<ProvenConsumer, 'address' | 'chainId'>

/**
 * Limits downloads and bytes of a consumer per day, over all instances. A day begins with its first download. Pass only
 * authenticated consumers: others must not use up a limit.
 */
export class ConsumerLimits {
  private readonly requests: number
  private readonly bytes: number

  constructor(
    private readonly usage: UsageStore,
    settings: Pick<Settings, 'CONSUMER_REQUESTS_PER_DAY' | 'CONSUMER_BYTES_PER_DAY'>,
  ) {
    this.requests = settings.CONSUMER_REQUESTS_PER_DAY
    this.bytes = settings.CONSUMER_BYTES_PER_DAY
  }

  get limitsBytes(): boolean {
    return this.bytes > 0
  }

  /**
   * Refuses a consumer without so many downloads or bytes left, before the nonce is consumed: the same request may pass later.
   * Throws LimitError, StateError.
   */
  async assertLeft(consumer: Consumer, downloads: number): Promise<void> {
    if (this.requests > 0) {
      const use = await this.usage.used(idOf('requests', consumer), DAY, Date.now())
      if (use.used + downloads > this.requests) throw refusal('downloads', use, downloads)
    }
    if (this.bytes === 0) return
    const use = await this.usage.used(idOf('bytes', consumer), DAY, Date.now())
    if (use.used >= this.bytes) throw refusal('bytes', use)
  }

  /**
   * Counts so many downloads after the nonce is consumed. Concurrent downloads cannot exceed the limit, and refused ones do not
   * count. Throws the errors of assertLeft.
   */
  async countRequest(consumer: Consumer, downloads: number): Promise<void> {
    if (this.requests === 0) return
    const id = idOf('requests', consumer)
    const use = await this.usage.add(id, downloads, DAY, Date.now())
    if (use.used <= this.requests) return
    await this.usage.add(id, -downloads, DAY, Date.now())
    throw refusal('downloads', use, downloads)
  }

  /**
   * Counts the bytes of a download before it starts; `length` undefined: unknown. At most one of several concurrent
   * downloads may exceed the limit. Throws the errors of assertLeft.
   */
  async countBytes(consumer: Consumer, length: number | undefined): Promise<CountedDownload> {
    const id = idOf('bytes', consumer)
    const reserved = length ?? PROVIDER_LIMITS.bytes.reservation
    const use = await this.usage.add(id, reserved, DAY, Date.now())
    const ends = Date.now() + use.endsIn
    const correct = (bytes: number) => {
      // if the window has ended meanwhile, so has the reservation
      const amount = Date.now() < ends ? bytes - reserved : bytes
      if (amount !== 0) this.usage.add(id, amount, DAY, Date.now()).catch(() => undefined)
    }
    if (use.used - reserved < this.bytes) return { end: correct }
    correct(0)
    throw refusal('bytes', use)
  }
}

/** Returns the counter's id. Contract wallets are counted per chain. */
function idOf(what: 'requests' | 'bytes', { address, chainId }: Consumer): string {
  return `consumer ${what} ${address}${chainId === undefined ? '' : ` ${chainId}`}`
}

function refusal(what: 'downloads' | 'bytes', { endsIn }: Usage, needed = 1): LimitError {
  const seconds = secondsLeft(endsIn)
  const left = needed > 1 ? `fewer than the ${needed} ${what} left that this archive counts as` : `no ${what} left`
  const message = `This consumer has ${left} today. Try again in ${seconds} seconds.`
  return new LimitError('CONSUMER_LIMITED', message, seconds)
}
