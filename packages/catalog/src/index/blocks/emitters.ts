import { CHAIN_LIMITS, type Chain, METADATA_TOPICS, topicsOf } from '@tidegate/chain'
import { checksummed } from '@tidegate/protocol'
import type { Address, Hex, RpcLog } from 'viem'
import type { EmitterKind, IndexGeneration } from '../index-store.js'

/** First topics of the indexed events by their emitter: the factory, an NFT, a datatoken or a market. */
export const TOPICS = {
  factory: topicsOf(['NFTCreated', 'TokenCreated']),
  nft: [...METADATA_TOPICS, ...topicsOf(['MetadataState'])],
  datatoken: topicsOf(['NewFixedRate', 'NewDispenser', 'OrderStarted', 'OrderReused']),
  market: [
    ...topicsOf(['ExchangeCreated', 'ExchangeRateChanged', 'ExchangeActivated', 'ExchangeDeactivated']),
    ...topicsOf(['DispenserCreated', 'DispenserActivated', 'DispenserDeactivated']),
  ],
} as const

const KIND_OF = new Map(
  Object.entries(TOPICS).flatMap(([kind, topics]) => topics.map((topic) => [topic, kind as keyof typeof TOPICS])),
)
const [NFT_CREATED, TOKEN_CREATED] = TOPICS.factory as [Hex, Hex]
const [NEW_FIXED_RATE, NEW_DISPENSER] = TOPICS.datatoken as [Hex, Hex]

/** The word of the event's data that names the market. */
const MARKET_WORD = new Map([
  [NEW_FIXED_RATE, 1],
  [NEW_DISPENSER, 0],
])

/** Trust of an address: the first block whose events count; `never` if its events do not count. */
type Trust = number | 'never'

/** Contracts that the factory deployed, and the markets that its datatokens name, by address in lower case. */
export type DeployedContracts = Record<EmitterKind, ReadonlyMap<string, Address>>

/**
 * Selects the events of trusted emitters: the factory, the NFTs and datatokens that it deployed according to the store, the logs so
 * far, or `before`, and the markets that these datatokens name, from the block of the first name on: so the result does not depend on how
 * blocks are divided into ranges. Untrusted logs cost a query per few hundred emitters and are not decoded.
 */
export class Emitters {
  private readonly created = mapsOf<Address>()
  private readonly known = mapsOf<Trust>()
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
    await this.queryStore('market', logs)
    // a market's own event precedes the one by which the datatoken names it
    for (const log of logs) this.noteMarket(log)
    return logs.filter((log) => {
      const kind = kindOf(log)
      if (!kind) return false
      return kind === 'factory' ? this.isFactory(log) : this.isTrusted(kind, log)
    })
  }

  /** Contracts that were deployed or named in the logs so far. */
  get deployed(): DeployedContracts {
    return this.created
  }

  private isFactory({ address }: RpcLog): boolean {
    return address.toLowerCase() === this.factory
  }

  private isTrusted(kind: EmitterKind, { address, blockNumber }: RpcLog): boolean {
    const since = this.known[kind].get(address.toLowerCase()) ?? 'never'
    return since !== 'never' && Number(blockNumber) >= since
  }

  private noteDeployment(log: RpcLog): void {
    if (kindOf(log) !== 'factory' || !this.isFactory(log)) return
    const [first, token = ''] = log.topics
    if (first === NFT_CREATED) this.note('nft', log.data.slice(26, 66))
    if (first === TOKEN_CREATED) this.note('datatoken', token.slice(26))
  }

  private noteMarket(log: RpcLog): void {
    const word = MARKET_WORD.get(log.topics[0] as Hex)
    if (word === undefined || !this.isTrusted('datatoken', log)) return
    this.note('market', log.data.slice(26 + 64 * word, 66 + 64 * word), Number(log.blockNumber))
  }

  private note(kind: EmitterKind, digits: string, since = 0): void {
    if (!/^[0-9a-f]{40}$/i.test(digits)) return
    const address = `0x${digits.toLowerCase()}` as const
    this.created[kind].set(address, checksummed(address))
    const known = this.known[kind].get(address)
    if (known === undefined || known === 'never' || known > since) this.known[kind].set(address, since)
  }

  private async queryStore(kind: EmitterKind, logs: readonly RpcLog[]): Promise<void> {
    const known = this.known[kind]
    const unknown = new Set<Address>()
    for (const log of logs) {
      const address = log.address.toLowerCase() as Address
      if (kindOf(log) !== kind || known.has(address)) continue
      if (this.before?.[kind].has(address)) known.set(address, 0)
      else unknown.add(address)
    }
    const all = [...unknown]
    for (let at = 0; at < all.length; at += CHAIN_LIMITS.chain.known) {
      const batch = all.slice(at, at + CHAIN_LIMITS.chain.known)
      for (const address of batch) known.set(address, 'never')
      for (const address of await this.index.known(this.chain.chainId, kind, batch.map(checksummed)))
        known.set(address.toLowerCase(), 0)
    }
  }
}

const mapsOf = <T>() => ({
  nft: new Map<string, T>(),
  datatoken: new Map<string, T>(),
  market: new Map<string, T>(),
})

function kindOf({ topics }: RpcLog): keyof typeof TOPICS | undefined {
  return KIND_OF.get(topics[0] as Hex)
}
