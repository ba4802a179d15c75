import { type Address, type Hex, numberToHex, type PublicClient, type RpcLog } from 'viem'

/** The fields of a block header that the index uses. */
export interface Header {
  hash: Hex
  /** Seconds since 1970. */
  time: bigint
}

/** Requests hash and time of a block; undefined if the node lacks the block. */
export async function headerOf(client: PublicClient, block: number, signal?: AbortSignal): Promise<Header | undefined> {
  const found = await client.request(
    { method: 'eth_getBlockByNumber', params: [numberToHex(block), false] },
    { signal },
  )
  return found ? { hash: found.hash as Hex, time: BigInt(found.timestamp) } : undefined
}

/** A filter of a log request. With a block hash, the request fails at a node with another block. */
type LogFilter = ({ blockHash: Hex } | { fromBlock: Hex; toBlock: Hex }) & {
  address?: Address | Address[]
  topics: readonly (Hex | readonly Hex[])[]
}

/** Requests logs by a raw request: viem's types do not allow "any of these events, of any contract". */
export async function logsOf(client: PublicClient, filter: LogFilter, signal?: AbortSignal): Promise<RpcLog[]> {
  return (await client.request({ method: 'eth_getLogs', params: [filter as never] }, { signal })) as RpcLog[]
}
