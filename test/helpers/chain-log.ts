import { type Address, encodeAbiParameters, encodeEventTopics, getAbiItem, type Hex, toHex } from 'viem'
import { EVENTS } from '../../packages/chain/src/abi.js'

interface Emitted {
  address: Address
  eventName: string
  args: Record<string, unknown>
}

interface Where {
  block: number
  blockHash: Hex
  /** Seconds since 1970. */
  time: number
  transactionHash: Hex
  index: number
}

/** An event as nodes return it in `eth_getLogs`. */
export function chainLog({ address, eventName, args }: Emitted, where: Where) {
  const item = getAbiItem({ abi: EVENTS, name: eventName } as never) as unknown as {
    inputs: { name: string; indexed?: boolean }[]
  }
  const plain = item.inputs.filter(({ indexed }) => !indexed)
  return {
    address,
    topics: encodeEventTopics({ abi: EVENTS, eventName, args } as never),
    data: encodeAbiParameters(plain as never, plain.map(({ name }) => args[name]) as never),
    blockNumber: toHex(where.block),
    blockHash: where.blockHash,
    blockTimestamp: toHex(where.time),
    transactionHash: where.transactionHash,
    transactionIndex: '0x0',
    logIndex: toHex(where.index),
    removed: false,
  }
}
