import { readFile } from 'node:fs/promises'
import { type Address, getAddress, isAddress } from 'viem'
import { z } from 'zod'
import { AccessError } from '../errors.js'
import type { Logger } from '../logger.js'
import type { Outbound } from '../outbound/outbound.js'

/** The forms of the field's public lists of assets and accounts that are not served. */
const assetList = z.array(z.object({ did: z.string(), reason: z.string().optional() }))
const accountList = z.array(
  z.object({
    address: z
      .string()
      .refine((text) => isAddress(text, { strict: false }), 'must be an address')
      .transform((text) => getAddress(text)),
    reason: z.string().optional(),
  }),
)

export interface PurgatoryOptions {
  /** Paths or http(s) URLs of the lists. */
  assets: string | undefined
  accounts: string | undefined
  /** Milliseconds between two readings. */
  interval: number
  outbound: Outbound
  log: Logger
}

/** Assets and accounts that this provider does not serve, by lists that are read again and again. */
export class Purgatory {
  private assets = new Map<string, string>()
  private accounts = new Map<Address, string>()
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly options: PurgatoryOptions) {}

  /** Reads the lists, and goes on doing so. Rejects where they cannot be read the first time, naming the setting. */
  async start(): Promise<void> {
    await this.read()
    const { assets, accounts, interval, log } = this.options
    if (assets === undefined && accounts === undefined) return
    this.timer = setInterval(() => {
      // what was read last goes on to hold
      this.read().catch((error: Error) => log.warn({ reason: error.message }, 'purgatory lists cannot be read'))
    }, interval)
    this.timer.unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** Why an asset is not served; undefined where it is. */
  reasonFor(did: string): string | undefined {
    return this.assets.get(did)
  }

  /** Throws AccessError where asset or account is listed. */
  assertServed(did: string, consumer: Address): void {
    if (this.assets.has(did)) throw new AccessError('PURGATORY', 'Asset is not consumable. It is in purgatory.')
    if (this.accounts.has(consumer))
      throw new AccessError('PURGATORY', 'Asset is not consumable. The consumer account is in purgatory.')
  }

  private async read(): Promise<void> {
    const { assets, accounts } = this.options
    const [listedAssets, listedAccounts] = await Promise.all([
      this.list('PURGATORY_ASSETS', assets, assetList),
      this.list('PURGATORY_ACCOUNTS', accounts, accountList),
    ])
    this.assets = new Map(listedAssets.map(({ did, reason = '' }) => [did, reason]))
    this.accounts = new Map(listedAccounts.map(({ address, reason = '' }) => [address, reason]))
  }

  private async list<T>(setting: string, from: string | undefined, form: z.ZodType<T[]>): Promise<T[]> {
    if (from === undefined) return []
    const json = await this.json(from).catch(() => {
      throw new Error(`${setting}: the list cannot be read as JSON.`)
    })
    const read = form.safeParse(json)
    if (read.success) return read.data
    const { path, message } = read.error.issues[0] as z.core.$ZodIssue
    throw new Error(`${setting}: the list is not of the known form: ${path.join('.') || 'it'} ${message}.`)
  }

  private async json(from: string): Promise<unknown> {
    if (!/^https?:/.test(from)) return JSON.parse(await readFile(from, 'utf8'))
    const { status, json } = await this.options.outbound.get(from)
    if (status !== 200) throw new Error('refused')
    return json
  }
}
