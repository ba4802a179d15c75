import type { PublicClient } from 'viem'

/** Milliseconds until a node is asked again for the first time: most local chains mine a block within them. */
const FIRST_PAUSE = 100

/**
 * A client whose block number is reported with every poll, whether it has changed or not. viem looks for a receipt only
 * when a new block is reported, and drops a report that arrives while it looks for a replacement. On a chain that mines a
 * block for each transaction no other block follows, and it would wait for ever.
 *
 * The pauses between polls begin short and double up to the polling interval of the client, which is seconds: on a local chain
 * the block is there a moment after the transaction.
 */
export function polling(client: PublicClient): PublicClient {
  const watchBlockNumber: PublicClient['watchBlockNumber'] = ({ onBlockNumber, pollingInterval }) => {
    let isOver = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const poll = async (pause: number) => {
      // a node that fails now is asked again with the next poll
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
