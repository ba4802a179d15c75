import type { Chain, Chains } from '@tidegate/chain'
import { hasForm } from '@tidegate/protocol/keys'
import type { Address } from 'viem'
import type { MilestoneStore } from '../state/milestones.js'

/** Encrypted files of an asset that no configured key decrypts. */
export interface Unopened {
  chainId: number
  endpoint: string
  /** The encrypted files, as hex. */
  files: string
  /** When its document was published, in seconds since 1970; undefined if unknown. */
  published: number | undefined
}

/** A provider key that was in use, from the database. */
interface SeenKey {
  address: Address
  since: number
}

const KEY = 'provider key '
const ENDPOINT = 'provider endpoint '

/**
 * The provider addresses and the endpoint that this database has seen. They reveal a key that was replaced and not kept
 * as a previous one. An encrypted file names no key, so the endpoint shows whether it belongs to this provider.
 */
export class ProviderKeys {
  private constructor(
    private readonly seen: ReadonlyMap<number, readonly SeenKey[]>,
    private readonly configured: ReadonlyMap<number, readonly Address[]>,
    private readonly milestones: Pick<MilestoneStore, 'recordFirst' | 'recordLast'>,
    private readonly publicUrl: string | undefined,
    private learned: string | undefined,
  ) {}

  /** Reads the recorded keys. With `records`, adds the current keys first. */
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

  /** Returns the recorded addresses of a chain whose keys are not configured. */
  missingOn(chainId: number): Address[] {
    const configured = this.configured.get(chainId) ?? []
    return (this.seen.get(chainId) ?? []).flatMap(({ address }) => (configured.includes(address) ? [] : [address]))
  }

  isMissing({ chainId }: Pick<Chain, 'chainId'>, address: Address): boolean {
    return this.missingOn(chainId).includes(address)
  }

  /**
   * Returns whether files that no key decrypts need a lost key of this provider. The document must name this service. A
   * recorded key must be missing, or the document must be older than all recorded keys: anybody can write a new document
   * with this endpoint.
   */
  isNeeded({ chainId, endpoint, files, published }: Unopened): boolean {
    if (normal(endpoint) !== (this.publicUrl ?? this.learned) || !hasForm(beginning(files))) return false
    if (this.missingOn(chainId).length > 0) return true
    const first = Math.min(...(this.seen.get(chainId) ?? []).map(({ since }) => since))
    // a learned endpoint comes from publishers, who may name the endpoint of another provider
    return this.publicUrl !== undefined && published !== undefined && published < first
  }

  /** Records the endpoint that most assets of this provider name. If the database fails, the next count repeats it. */
  learn(endpoint: string): void {
    const own = normal(endpoint)
    if (this.publicUrl !== undefined || own === undefined || own === this.learned) return
    this.learned = own
    this.milestones.recordLast(`${ENDPOINT}${own}`, Math.floor(Date.now() / 1000)).catch(() => {
      this.learned = undefined
    })
  }
}

/** Returns a URL without query and trailing slashes; undefined for other text. */
function normal(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/+$/, '')
}

/** Returns the first 65 bytes of a hex text: the length of an ephemeral key. */
const beginning = (hex: string) => Buffer.from(hex.replace(/^0x/i, '').slice(0, 130), 'hex')
