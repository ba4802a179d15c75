import type { Hex, PublicClient } from 'viem'

/** The fields of a block header that the index uses. */
export interface Header {
  hash: Hex
  /** Seconds since 1970. */
  time: bigint
}

/** Requests hash and time of a block; undefined if the node does not have it. */
export async function headerOf(client: PublicClient, block: number, signal?: AbortSignal): Promise<Header | undefined> {
  const found = await client.request({ method: 'eth_getBlockByNumber', params: [hex(block), false] }, { signal })
  return found ? { hash: found.hash as Hex, time: BigInt(found.timestamp) } : undefined
}

/** Encodes a number as a JSON-RPC quantity. */
export function hex(value: number): Hex {
  return `0x${value.toString(16)}`
}
