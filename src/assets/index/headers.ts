import type { Hex, PublicClient } from 'viem'

/** What is asked of a block. */
export interface Header {
  hash: Hex
  /** Seconds since 1970. */
  time: bigint
}

/** Hash and time of a block; undefined where the node does not have it. */
export async function headerOf(client: PublicClient, block: number): Promise<Header | undefined> {
  const found = await client.request({ method: 'eth_getBlockByNumber', params: [hex(block), false] })
  return found ? { hash: found.hash as Hex, time: BigInt(found.timestamp) } : undefined
}

/** A number as nodes want it. */
export function hex(value: number): Hex {
  return `0x${value.toString(16)}`
}
