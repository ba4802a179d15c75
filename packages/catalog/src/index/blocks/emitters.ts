import { CHAIN_LIMITS, type Chain, METADATA_TOPICS, topicsOf } from '@tidegate/chain'
import { checksummed } from '@tidegate/protocol'
import type { Address, Hex, RpcLog } from 'viem'
import type { EmitterKind, IndexGeneration } from '../index-store.js'

/** First topics of the indexed events by their emitter: the factory, an NFT or a datatoken. */
export const TOPICS = {
  factory: topicsOf(['NFTCreated', 'TokenCreated']),
  nft: [...METADATA_TOPICS, ...topicsOf(['MetadataState'])],
  datatoken: topicsOf(['OrderStarted', 'OrderReused']),
} as const

const KIND_OF = new Map(
  Object.entries(TOPICS).flatMap(([kind, topics]) => topics.map((topic) => [topic, kind as keyof typeof TOPICS])),
)
const [NFT_CREATED, TOKEN_CREATED] = TOPICS.factory as [Hex, Hex]

/** Contracts that the factory deployed, by address in lower case. */
export type DeployedContracts = Record<EmitterKind, ReadonlyMap<string, Address>>

/**
 * Selects the events of trusted emitters: the factory, and the NFTs and datatokens that it deployed according to the store, the
 * logs so far, or `before`. Untrusted logs cost a query per few hundred emitters and are not decoded.
 */
export class Emitters {
  private readonly created = { nft: new Map<string, Address>(), datatoken: new Map<string, Address>() }
  private readonly known = { nft: new Map<string, boolean>(), datatoken: new Map<string, boolean>() }
  private readonly factory: string

  constructor(
    private readonly chain: Chain,
    private readonly index: Pick<IndexGeneration, 'known'>,
    private readonly before?: DeployedContracts,
  ) {
    this.factory = chain.deployment.factory.toLowerCase()
  }

  /** Returns the logs of trusted emitters. Pass logs in the order of blocks. Throws StateError. */
  async trusted<L extends RpcLog>(logs: readonly L[]): Promise<L[]> {
    for (const log of logs) this.noteDeployment(log)
    for (const kind of ['nft', 'datatoken'] as const) await this.queryStore(kind, logs)
    return logs.filter((log) => {
      const kind = kindOf(log)
      if (!kind) return false
      return kind === 'factory' ? this.isFactory(log) : this.known[kind].get(log.address.toLowerCase()) === true
    })
  }

  /** Contracts that were deployed in the logs so far. */
  get deployed(): DeployedContracts {
    return this.created
  }

  private isFactory({ address }: RpcLog): boolean {
    return address.toLowerCase() === this.factory
  }

  private noteDeployment(log: RpcLog): void {
    if (kindOf(log) !== 'factory' || !this.isFactory(log)) return
    const [first, token = ''] = log.topics
    if (first === NFT_CREATED) this.note('nft', log.data.slice(26, 66))
    if (first === TOKEN_CREATED) this.note('datatoken', token.slice(26))
  }

  private note(kind: EmitterKind, digits: string): void {
    if (!/^[0-9a-f]{40}$/i.test(digits)) return
    const address = `0x${digits.toLowerCase()}` as const
    this.created[kind].set(address, checksummed(address))
    this.known[kind].set(address, true)
  }

  private async queryStore(kind: EmitterKind, logs: readonly RpcLog[]): Promise<void> {
    const known = this.known[kind]
    const unknown = new Set<Address>()
    for (const log of logs) {
      const address = log.address.toLowerCase() as Address
      if (kindOf(log) !== kind || known.has(address)) continue
      if (this.before?.[kind].has(address)) known.set(address, true)
      else unknown.add(address)
    }
    const all = [...unknown]
    for (let at = 0; at < all.length; at += CHAIN_LIMITS.chain.known) {
      const batch = all.slice(at, at + CHAIN_LIMITS.chain.known)
      for (const address of batch) known.set(address, false)
      for (const address of await this.index.known(this.chain.chainId, kind, batch.map(checksummed)))
        known.set(address.toLowerCase(), true)
    }
  }
}

function kindOf({ topics }: RpcLog): keyof typeof TOPICS | undefined {
  return KIND_OF.get(topics[0] as Hex)
}
