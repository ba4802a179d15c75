/** The progress of the index of one chain. */
export interface IndexProgress {
  chainId: number
  /** Last block read; null before the first one. */
  block: number | null
  /** Head of the chain when nodes last knew the last block read; null before the first time. */
  head: number | null
  /** Age of that head, in milliseconds; null while it is unknown. */
  age: number | null
  /** Blocks left to read; null while the head is unknown. */
  lag: number | null
  /** Whether the index has diverged from the chain, which was reorganised. */
  astray: boolean
  /** Last block of the rebuild that is to replace this index; null if there is none, or it has not read a block. */
  rereading: number | null
  /** Whether the index pauses, since the disk of its database is nearly full. */
  paused: boolean
}
