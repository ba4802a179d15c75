import type { EventNamed } from '@tidegate/chain'
import { CHAIN_LIMITS } from '@tidegate/chain'
import { type IndexedDatatoken, type IndexedMetadata, type IndexedNft, isoTime, secondsOf } from '@tidegate/protocol'
import { type Decoded, didOf, isEncrypted } from '@tidegate/protocol/documents'
import { type Address, formatUnits, type Hex, type Log } from 'viem'
import type { MetadataEvent } from '../published.js'
import type { CreatedOffer, ReusedOrder, StartedOrder } from './index-store.js'

const cut = (name: string) => name.slice(0, CHAIN_LIMITS.chain.name)

/** Returns the data NFT of a deployment event. */
export function nftOf({ args, blockTimestamp }: EventNamed<'NFTCreated'>): IndexedNft {
  return {
    address: args.newTokenAddress,
    name: cut(args.tokenName),
    symbol: cut(args.symbol),
    tokenUri: args.tokenURI.length > CHAIN_LIMITS.chain.tokenUri ? '' : args.tokenURI,
    owner: args.admin,
    created: isoTime(Number(blockTimestamp ?? 0)),
  }
}

/** Returns the datatoken of a deployment event. */
export function datatokenOf({ args }: EventNamed<'TokenCreated'>): IndexedDatatoken {
  // the factory requires that the creator is one of its own NFTs
  return { address: args.newTokenAddress, nft: args.creator, name: cut(args.name), symbol: cut(args.symbol) }
}

/** The order that an event tells of. */
export function startedOrderOf(event: EventNamed<'OrderStarted'>): StartedOrder {
  const { consumer, payer, serviceIndex, timestamp } = event.args
  const index = serviceIndex > Number.MAX_SAFE_INTEGER ? undefined : Number(serviceIndex)
  return { ...positionOf(event), consumer, payer, serviceIndex: index, timestamp: secondsOf(timestamp) }
}

/** The reuse of an order that an event tells of. */
export function reusedOrderOf(event: EventNamed<'OrderReused'>): ReusedOrder {
  const { orderTxId, caller, timestamp } = event.args
  return { ...positionOf(event), payer: caller, started: orderTxId, timestamp: secondsOf(timestamp) }
}

/** Returns the offer of a creation event. Both kinds of contracts create active offers. */
export function offerOf(event: EventNamed<'ExchangeCreated' | 'DispenserCreated'>, contract: Address): CreatedOffer {
  const { block, log } = positionOf(event)
  if (event.eventName === 'DispenserCreated')
    return { type: 'dispenser', price: '0', contract, datatoken: event.args.datatokenAddress, block, log }
  const { exchangeId, baseToken: token, datatoken, fixedRate } = event.args
  return { type: 'fixedrate', price: priceAt(fixedRate), contract, token, exchangeId, datatoken, block, log }
}

/** Returns the price at a rate, which has 18 decimals for every base token. */
export const priceAt = (rate: bigint): string => formatUnits(rate, 18)

const positionOf = ({ blockNumber, logIndex, transactionHash }: Log) => ({
  block: Number(blockNumber),
  log: Number(logIndex),
  txId: transactionHash as Hex,
})

/** Combines a metadata event with its decoded document. */
export function metadataFrom(
  event: MetadataEvent,
  nft: Address,
  { chainId }: { chainId: number },
  decoded: Decoded,
): IndexedMetadata {
  return {
    nft,
    did: 'did' in decoded ? decoded.did : didOf(nft, chainId),
    state: event.args.state,
    ddo: 'ddo' in decoded ? decoded.ddo : null,
    reason: 'reason' in decoded ? decoded.reason : null,
    encrypted: isEncrypted(event.args),
    txId: event.transactionHash as Hex,
    block: Number(event.blockNumber),
    from: 'createdBy' in event.args ? event.args.createdBy : event.args.updatedBy,
    timestamp: secondsOf(event.args.timestamp),
  }
}
