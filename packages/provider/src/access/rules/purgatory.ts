import { describeAnswer, describeFailedExchange, type Logger, type Outbound, readTextFile } from '@tidegate/common'
import { didHash, didsWith, isDid, UnavailableError } from '@tidegate/protocol'
import { type Address, getAddress, isAddress } from 'viem'
import * as z from 'zod'

/** The formats of the public lists of assets and accounts in purgatory. */
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
  /** Path or http(s) URL of each list. */
  assets: string | undefined
  accounts: string | undefined
  /** Refresh interval, in milliseconds. */
  interval: number
  outbound: Outbound
  log: Logger
}

/** Assets and accounts that this provider does not serve. Their lists are read again at an interval. */
export class Purgatory {
  /** Called after the lists were read again. */
  onRead: () => void = () => undefined
  private assets = new Map<string, string>()
  private accounts = new Map<Address, string>()
  private timer: NodeJS.Timeout | undefined
  /** Whether the last reading of the lists succeeded. Undefined without lists. */
  isReadable: boolean | undefined

  constructor(private readonly options: PurgatoryOptions) {}

  /**
   * Reads the lists and schedules refreshes. Rejects if the first read fails, with an Error that names the setting.
   */
  async start(): Promise<void> {
    await this.read()
    const { assets, accounts, interval, log } = this.options
    if (assets === undefined && accounts === undefined) return
    this.isReadable = true
    this.timer = setInterval(() => {
      this.read().then(
        () => {
          this.isReadable = true
        },
        (error: Error) => {
          // the previous lists stay in force
          this.isReadable = false
          log.warn({ reason: error.message }, 'purgatory lists cannot be read')
        },
      )
    }, interval)
    this.timer.unref()
  }

  stop(): void {
    clearInterval(this.timer)
  }

  /** Returns the reason why an asset is in purgatory; undefined if it is not. */
  reasonFor(did: string): string | undefined {
    return this.assets.get(did)
  }

  /** Returns the assets that are not served. */
  dids(): string[] {
    return [...this.assets.keys()]
  }

  /** Whether an account is in purgatory. */
  lists(account: Address): boolean {
    return this.accounts.has(account)
  }

  private async read(): Promise<void> {
    const { assets, accounts } = this.options
    const [listedAssets, listedAccounts] = await Promise.all([
      this.list('PURGATORY_ASSETS', assets, assetList),
      this.list('PURGATORY_ACCOUNTS', accounts, accountList),
    ])
    this.assets = new Map(listedAssets.flatMap(({ did, reason = '' }) => didsOfAsset(did).map((one) => [one, reason])))
    this.accounts = new Map(listedAccounts.map(({ address, reason = '' }) => [address, reason]))
    this.onRead()
  }

  private async list<T>(setting: string, from: string | undefined, form: z.ZodType<T[]>): Promise<T[]> {
    if (from === undefined) return []
    const json = /^https?:/.test(from) ? await this.fetched(setting, from) : readList(setting, from)
    const parsed = form.safeParse(json)
    if (parsed.success) return parsed.data
    const { path, message } = parsed.error.issues[0] as z.core.$ZodIssue
    throw new Error(`${setting}: the list is not of the known form: ${path.join('.') || 'it'} ${message}.`)
  }

  private async fetched(setting: string, url: string): Promise<unknown> {
    // the rest of the URL may hold a key
    const { host } = new URL(url)
    const failed = (reason: string) => new UnavailableError([`${setting}: the list cannot be read: ${host} ${reason}.`])
    const response = await this.options.outbound.get(url).catch((error: unknown) => {
      throw failed(describeFailedExchange(error))
    })
    if (response.status !== 200 || response.json === undefined) throw failed(describeAnswer(response, 'JSON'))
    return response.json
  }
}

/** Returns all DIDs of an asset: its publisher may change the version of the document, and with it the DID. */
function didsOfAsset(did: string): string[] {
  return isDid(did) ? didsWith(didHash(did)) : [did]
}

function readList(setting: string, file: string): unknown {
  try {
    return JSON.parse(readTextFile(file))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : (code ?? 'it is not JSON')
    throw new Error(`${setting}: the list ${file} cannot be read: ${why}.`)
  }
}
