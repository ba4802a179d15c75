import type { PublicClient } from 'viem'

/** Milliseconds before the second poll: most local chains mine a block within them. */
const FIRST_PAUSE = 100

/**
 * A client that reports the block number with every poll, even if it is the same. viem looks for a receipt only when a new
 * block is reported, and drops a report that arrives while it looks for a replacement. On a chain that mines a block for
 * each transaction, no other block follows, and viem would wait forever.
 *
 * The pauses double from a short one up to the client's polling interval of seconds: a local chain mines at once.
 */
export function polling(client: PublicClient): PublicClient {
  const watchBlockNumber: PublicClient['watchBlockNumber'] = ({ onBlockNumber, pollingInterval }) => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const poll = async (pause: number) => {
      // the next poll repeats a failed request
      await client.getBlockNumber({ cacheTime: 0 }).then((block) => void onBlockNumber(block, undefined), Boolean)
      if (!isOver) timer = setTimeout(poll, Math.min(pause, pollingInterval as number), 2 * pause)
    }
    void poll(FIRST_PAUSE)
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }
  return { ...client, watchBlockNumber }
}
