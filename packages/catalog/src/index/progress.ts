/** The progress of the index of one chain. */
export interface IndexProgress {
  chainId: number
  /** Last indexed block; null before the first one. */
  block: number | null
  /** The chain's head when the nodes last knew the last indexed block; null before that. */
  head: number | null
  /** Milliseconds since that head was observed; null if it is unknown. */
  age: number | null
  /** Blocks left to read; null if the head is unknown. */
  lag: number | null
  /** Whether the index has diverged from a reorganised chain. */
  astray: boolean
  /** Last block of a rebuild; null without a rebuild, or before its first block. */
  rereading: number | null
  /** Whether the index pauses because the database's disk is nearly full. */
  paused: boolean
}
