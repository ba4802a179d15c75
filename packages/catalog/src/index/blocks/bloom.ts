import { BLOOM_POSITION } from '@tidegate/protocol/constants'
import { type Hex, hexToBytes, keccak256 } from 'viem'
import { TOPICS } from './emitters.js'
import type { Header } from './headers.js'

const BLOOM_BYTES = 256

/** Bits of a bloom that few other logs have set. With a tenth of all bits, it matches an absent topic in one of 1,000 blocks. */
const SPARSE_BITS = 205

/** The three bits of each indexed topic (Ethereum Yellow Paper, 4.3.1). */
const BITS_OF = new Map(Object.values(TOPICS).flatMap((topics) => topics.map((topic) => [topic, bitsOf(topic)])))

/** The evidence of a header about the logs of its block. */
export interface BloomEvidence {
  /** The indexed topics that logs of the block may have; undefined if the bloom proves nothing. */
  topics: readonly Hex[] | undefined
  /** Whether few bits are set, so that a named topic is almost certainly there. */
  isSparse: boolean
}

/**
 * Returns the evidence of a block's bloom. An empty bloom proves nothing if the block has transactions: some chains (zkSync) leave it
 * empty. A full one names every topic.
 */
export function bloomEvidence({ bloom, transactions }: Header): BloomEvidence {
  if (transactions === 0) return { topics: [], isSparse: true }
  if (!bloom || !/^0x[0-9a-f]{512}$/i.test(bloom)) return { topics: undefined, isSparse: false }
  const bytes = hexToBytes(bloom)
  const bits = bytes.reduce((sum, byte) => sum + popCount(byte), 0)
  if (bits === 0) return { topics: undefined, isSparse: false }
  const topics = [...BITS_OF].filter(([, wanted]) => wanted.every((bit) => hasBit(bytes, bit))).map(([topic]) => topic)
  return { topics, isSparse: bits <= SPARSE_BITS }
}

function bitsOf(topic: Hex): number[] {
  const hash = hexToBytes(keccak256(topic))
  return [0, 2, 4].map((at) => (((hash[at] as number) << 8) | (hash[at + 1] as number)) & BLOOM_POSITION)
}

function hasBit(bytes: Uint8Array, bit: number): boolean {
  return ((bytes[BLOOM_BYTES - 1 - (bit >> 3)] as number) & (1 << (bit & 7))) !== 0
}

function popCount(byte: number): number {
  let count = 0
  for (let rest = byte; rest > 0; rest &= rest - 1) count += 1
  return count
}
