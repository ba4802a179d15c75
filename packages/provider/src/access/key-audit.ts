import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import type { DocumentReader, IndexStore } from '@tidegate/catalog'
import type { Chain, Chains } from '@tidegate/chain'
import type { Logger } from '@tidegate/common'
import { isConsumable } from '@tidegate/protocol'
import { didsOf } from '@tidegate/protocol/documents'
import { canDecrypt } from '@tidegate/storage'
import type { Address } from 'viem'
import { MostFrequent } from './most-frequent.js'
import type { ProviderKeys } from './provider-keys.js'

/** The assets of a chain whose files need a missing provider key. */
export interface UnknownKeyAssets {
  count: number
  /** The first `NAMED` of the assets. */
  dids: string[]
}

export interface AuditSources {
  index: Pick<IndexStore, 'emitters' | 'asset'>
  documents: Pick<DocumentReader, 'stored'>
  keys: ProviderKeys
}

/** Data NFTs per page. */
const PAGE = 20
/** Endpoints of an asset that count. Nearly all assets have one. */
const COUNTED = 3
/** Assets named in the log. */
const NAMED = 20
/** Pauses between pages and between counts, as multiples of the preceding work. */
const PAUSE = { page: 9, count: 100 }
/** Milliseconds between checks whether a count is due. */
const INTERVAL = 1000

/**
 * Counts the assets of a chain whose files need a missing provider key, page by page. Learns the endpoint that most
 * decryptable assets name. `rest` is called after each page with the milliseconds that it took, and with what is found so far.
 */
export async function countUnknown(
  chain: Chain,
  { index, documents, keys }: AuditSources,
  rest: (busy: number, found: UnknownKeyAssets) => Promise<unknown> = async () => undefined,
): Promise<UnknownKeyAssets> {
  const found: UnknownKeyAssets = { count: 0, dids: [] }
  const endpoints = new MostFrequent()
  const examine = async (did: string) => {
    const asset = await index.asset(did)
    if (!asset?.metadata.ddo || !isConsumable(asset.metadata.state)) return
    const ddo = await documents.stored(asset.metadata.ddo)
    const published = asset.metadata.timestamp
    let isUnknown = false
    const opened = new Set<string>()
    for (const { files, serviceEndpoint: endpoint } of ddo?.services ?? []) {
      if (canDecrypt(files, chain.keys)) opened.add(endpoint)
      else isUnknown ||= keys.isNeeded({ chainId: chain.chainId, endpoint, files, published })
    }
    // a hostile document may repeat its endpoint, or name many
    for (const endpoint of [...opened].slice(0, COUNTED)) endpoints.add(endpoint)
    if (!isUnknown) return
    found.count += 1
    if (found.dids.length < NAMED) found.dids.push(did)
  }
  let after: Address | undefined
  for (;;) {
    const begun = performance.now()
    const nfts = await index.emitters(chain.chainId, 'nft', after, PAGE)
    for (const nft of nfts) for (const did of didsOf(nft, chain.chainId)) await examine(did)
    after = nfts.at(-1)
    if (nfts.length < PAGE) break
    await rest(performance.now() - begun, found)
  }
  const most = endpoints.first()
  if (most !== undefined) keys.learn(most)
  return found
}

interface AuditOptions extends AuditSources {
  chains: Chains
  log: Logger
  /** Whether the index of a chain is current. */
  isCurrent: (chainId: number) => boolean
  /** Whether this instance leads the index of a chain. Only the leader counts. */
  leads: (chainId: number) => Promise<boolean>
}

/** Counts in the background: at the start and after changes of the index. Uses at most a tenth of a core. */
export class KeyAudit {
  private readonly results = new Map<number, UnknownKeyAssets>()
  private readonly due: Set<number>
  private readonly stopped = new AbortController()

  constructor(private readonly options: AuditOptions) {
    this.due = new Set(options.chains.keys())
    // the pauses of every chain listen for it
    setMaxListeners(0, this.stopped.signal)
  }

  /** Returns the number of assets that need a missing key; undefined before the first count. */
  count(chainId: number): number | undefined {
    return this.results.get(chainId)?.count
  }

  /** Requests a new count after a change of the index. */
  changed(chainId: number): void {
    this.due.add(chainId)
  }

  start(): void {
    for (const chain of this.options.chains.values()) void this.watch(chain)
  }

  stop(): void {
    this.stopped.abort()
  }

  private async watch(chain: Chain): Promise<void> {
    const { chainId } = chain
    const { isCurrent, leads } = this.options
    while (!this.stopped.signal.aborted) {
      let busy = 0
      try {
        if (this.due.has(chainId) && isCurrent(chainId) && (await leads(chainId))) {
          this.due.delete(chainId)
          const rest = (milliseconds: number, found: UnknownKeyAssets) => {
            busy += milliseconds
            // a first count of many assets takes long
            if (found.count > 0 && !this.results.has(chainId)) this.report(chainId, { ...found })
            return this.pause(PAUSE.page * milliseconds)
          }
          const begun = performance.now()
          this.report(chainId, await countUnknown(chain, this.options, rest))
          busy ||= performance.now() - begun
        }
      } catch {
        // the database failed, or the service is stopping
        this.due.add(chainId)
      }
      await this.pause(Math.max(INTERVAL, PAUSE.count * busy)).catch(() => undefined)
    }
  }

  private pause(milliseconds: number): Promise<void> {
    return sleep(milliseconds, undefined, { signal: this.stopped.signal, ref: false })
  }

  private report(chainId: number, found: UnknownKeyAssets): void {
    const before = this.results.get(chainId)?.count ?? 0
    this.results.set(chainId, found)
    if (found.count === before) return
    const { log, keys } = this.options
    const facts = { chainId, assets: found.count, dids: found.dids, keys: keys.missingOn(chainId) }
    if (found.count > 0) log.error(facts, 'a provider key is missing: the files of these assets cannot be decrypted')
    else log.info(facts, 'no asset needs a provider key that is missing')
  }
}
