import type { PublicClient } from 'viem'

/**
 * A client whose block number is reported with every poll, whether it has changed or not. viem looks for a receipt only
 * when a new block is reported, and drops a report that arrives while it looks for a replacement. On a chain that mines a
 * block for each transaction no other block follows, and it would wait for ever.
 */
export function polling(client: PublicClient): PublicClient {
  const watchBlockNumber: PublicClient['watchBlockNumber'] = ({ onBlockNumber, pollingInterval }) => {
    // a node that fails now is asked again with the next poll
    const poll = () => client.getBlockNumber({ cacheTime: 0 }).then((block) => onBlockNumber(block, undefined), Boolean)
    void poll()
    const timer = setInterval(poll, pollingInterval)
    return () => clearInterval(timer)
  }
  return { ...client, watchBlockNumber }
}
