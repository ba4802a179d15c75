import type { Chain, Chains } from '@tidegate/chain'
import { hasForm } from '@tidegate/protocol/keys'
import type { Address } from 'viem'
import type { MilestoneStore } from '../state/milestones.js'

/** An asset's files that no configured key decrypts. */
export interface Unopened {
  chainId: number
  endpoint: string
  /** The encrypted files, as hex. */
  files: string
  /** When its document was published, in seconds since 1970; undefined if unknown. */
  published: number | undefined
}

/** A key that was in use, as the database remembers it. */
interface SeenKey {
  address: Address
  since: number
}

const KEY = 'provider key '
const ENDPOINT = 'provider endpoint '

/**
 * The provider addresses and the endpoint that this database has seen in use, so that a key that was replaced without its
 * predecessor is noticed. An encrypted file names no key: whether it was meant for this provider, its endpoint tells.
 */
export class ProviderKeys {
  private constructor(
    private readonly seen: ReadonlyMap<number, readonly SeenKey[]>,
    private readonly configured: ReadonlyMap<number, readonly Address[]>,
    private readonly milestones: Pick<MilestoneStore, 'recordFirst' | 'recordLast'>,
    private readonly publicUrl: string | undefined,
    private learned: string | undefined,
  ) {}

  /** Reads what the database has seen. With `records`, adds the keys in use. */
  static async open(
    milestones: MilestoneStore,
    chains: Chains,
    { publicUrl, records }: { publicUrl: string | undefined; records: boolean },
  ): Promise<ProviderKeys> {
    const now = Math.floor(Date.now() / 1000)
    if (records)
      for (const { chainId, key } of chains.values())
        await milestones.recordFirst(`${KEY}${chainId} ${key.address}`, now)
    const seen = new Map<number, SeenKey[]>()
    for (const { name, at } of await milestones.recorded(KEY)) {
      const [chainId, address] = name.split(' ') as [string, Address]
      seen.set(Number(chainId), [...(seen.get(Number(chainId)) ?? []), { address, since: at }])
    }
    const endpoints = (await milestones.recorded(ENDPOINT)).sort((a, b) => b.at - a.at)
    const configured = new Map([...chains].map(([id, { keys }]) => [id, keys.map(({ address }) => address)]))
    const own = publicUrl === undefined ? undefined : normal(publicUrl)
    return new ProviderKeys(seen, configured, milestones, own, endpoints[0]?.name)
  }

  /** The addresses that were in use on a chain, and whose keys are not configured. */
  missingOn(chainId: number): Address[] {
    const configured = this.configured.get(chainId) ?? []
    return (this.seen.get(chainId) ?? []).flatMap(({ address }) => (configured.includes(address) ? [] : [address]))
  }

  isMissing({ chainId }: Pick<Chain, 'chainId'>, address: Address): boolean {
    return this.missingOn(chainId).includes(address)
  }

  /**
   * Whether files that no key decrypts need a key that was lost. They must name this service, and be published before
   * the keys that the database knows, or one of those must be missing: otherwise they are a stranger's, who can write anything,
   * also into an old data NFT.
   */
  isNeeded({ chainId, endpoint, files, published }: Unopened): boolean {
    if (normal(endpoint) !== (this.publicUrl ?? this.learned) || !hasForm(beginning(files))) return false
    if (this.missingOn(chainId).length > 0) return true
    const first = Math.min(...(this.seen.get(chainId) ?? []).map(({ since }) => since))
    // endpoints that were learned are named by publishers, who may name another provider's
    return this.publicUrl !== undefined && published !== undefined && published < first
  }

  /** Records the endpoint that most assets of this provider name. The database may fail: the next count tries again. */
  learn(endpoint: string): void {
    const own = normal(endpoint)
    if (this.publicUrl !== undefined || own === undefined || own === this.learned) return
    this.learned = own
    this.milestones.recordLast(`${ENDPOINT}${own}`, Math.floor(Date.now() / 1000)).catch(() => {
      this.learned = undefined
    })
  }
}

/** A URL without what makes no difference; undefined for other text. */
function normal(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/+$/, '')
}

/** The first bytes of a text that should be hex, as many as an ephemeral key has. */
const beginning = (hex: string) => Buffer.from(hex.replace(/^0x/i, '').slice(0, 130), 'hex')
