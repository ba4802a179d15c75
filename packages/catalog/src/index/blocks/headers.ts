import { type Address, type Hex, isHash, numberToHex, type PublicClient, type RpcLog } from 'viem'

/** The fields of a block header that the index uses. */
export interface Header {
  number: number
  hash: Hex
  /** Hash of the block before; undefined if the node sends none: some send null or `0x`. */
  parent: Hex | undefined
  /** Seconds since 1970. */
  time: bigint
  /** Undefined if the node does not send it. */
  bloom: Hex | undefined
  /** Number of transactions; undefined if the node does not send them. */
  transactions: number | undefined
}

/** Requests the header of a block, or of the newest one; undefined if the node lacks the block. */
export async function headerOf(
  client: PublicClient,
  block: number | 'latest',
  signal?: AbortSignal,
): Promise<Header | undefined> {
  const tag = block === 'latest' ? block : numberToHex(block)
  const found = await client.request({ method: 'eth_getBlockByNumber', params: [tag, false] }, { signal })
  if (!found) return undefined
  const { hash, number, timestamp, parentHash, logsBloom, transactions } = found
  return {
    number: Number(number),
    hash: hash as Hex,
    parent: parentHash && isHash(parentHash) ? parentHash : undefined,
    time: BigInt(timestamp),
    bloom: logsBloom ?? undefined,
    transactions: Array.isArray(transactions) ? transactions.length : undefined,
  }
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
