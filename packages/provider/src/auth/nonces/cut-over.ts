import { ValidationError } from '@tidegate/protocol'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { CutOverStore } from './cut-over-table.js'
import { FIRST_NONCE, type Nonce, nonceNumber, parseNonce } from './nonce.js'

/**
 * The cut-over time: when this service replaced another one, or was restored from a backup, or when a standby of its
 * database was promoted. Requests signed before it are refused, because their nonces may be unknown. Cached for a few
 * seconds: few requests read the database, and every instance sees an import soon, and a promotion at once.
 */
export class CutOver {
  private known: { at: number; floors: Floors } | undefined
  /** Timeline of the database when the time was read. */
  private timeline: number | undefined
  private freshUntil = Number.NEGATIVE_INFINITY
  private reading: Promise<void> | undefined

  /** `now`: a monotonic clock in milliseconds. */
  constructor(
    private readonly store: CutOverStore,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Throws ValidationError for a nonce that reads as a time before the cut-over. Throws StateError. */
  async check({ sortKey }: Nonce): Promise<void> {
    await this.refresh()
    if (!this.known || floorFor(sortKey, this.known.floors) === undefined) return
    const since = new Date(this.known.at).toISOString()
    throw ValidationError.of(
      'nonce',
      `The nonce is a time before ${since}, when this service took over from another one or was restored: what was signed earlier is not accepted. Sign again, with the present time as the nonce.`,
    )
  }

  /**
   * Returns the last nonce of an address as JSON text. Some clients sign the next whole number, which must be accepted:
   * a nonce before the cut-over is replaced by the cut-over in the same unit. Throws StateError.
   */
  async lastNonce(sortKey: string | undefined): Promise<string> {
    if (sortKey === undefined) return FIRST_NONCE
    await this.refresh()
    return nonceNumber((this.known && floorFor(sortKey, this.known.floors)) ?? sortKey)
  }

  private async refresh(): Promise<void> {
    if (this.now() < this.freshUntil && this.timeline === this.store.timeline) return
    this.reading ??= this.read().finally(() => {
      this.reading = undefined
    })
    await this.reading
    if (this.timeline !== this.store.timeline) await this.refresh()
  }

  private async read(): Promise<void> {
    const asked = this.now()
    const { timeline } = this.store
    const at = await this.store.get()
    if (at !== this.known?.at) this.known = at === undefined ? undefined : { at, floors: floorsOf(at) }
    this.timeline = timeline
    this.freshUntil = asked + PROVIDER_LIMITS.nonces.cutOverFresh
  }
}

/** Sort keys of one time in seconds, milliseconds and microseconds since 1970. */
type Floors = [seconds: string, milliseconds: string, microseconds: string]

function floorsOf(at: number): Floors {
  const keyOf = (text: string) => parseNonce(text, BigInt(at) * 1000n).sortKey
  return [keyOf((at / 1000).toFixed(3)), keyOf(`${at}`), keyOf(`${at}000`)]
}

/** The minimum digits of the whole part for each unit: the year 2001 in seconds, 1973 in the others. */
const UNITS = [10, 12, 15]

/** Returns the least valid sort key for a nonce that reads as a time before the cut-over. */
function floorFor(sortKey: string, floors: Floors): string | undefined {
  const digits = nonceNumber(sortKey).split('.')[0]?.length as number
  const floor = floors[UNITS.filter((least) => digits >= least).length - 1]
  return floor !== undefined && sortKey < floor ? floor : undefined
}
