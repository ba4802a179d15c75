import { eventsOf } from '@tidegate/catalog'
import { type Chain, NodeAbilities, refusal, rpcClient, transportFailure } from '@tidegate/chain'
import type { PublicClient } from 'viem'
import type { Settings } from '../../config/schema.js'
import type { Finding } from './files.js'

/** Calls in the tested batch. The service rarely sends more. */
const BATCH = 20
/** Blocks in the tested log request: the first range of the index. */
const BLOCKS = 2000
/** Range in blocks below which the exact limit of a node is searched. */
const FEW = 64

/** Checks every node, also those without which the service could start. */
export async function* nodeFindings({ NETWORK_URL, RPC_TIMEOUT }: Settings): AsyncGenerator<Finding> {
  const configured: [string, URL[]][] = NETWORK_URL.all
    ? [['chain', NETWORK_URL.all]]
    : [...NETWORK_URL.byChain].map(([chainId, urls]) => [`chain ${chainId}`, urls])
  for (const [chain, urls] of configured)
    for (const url of urls) {
      const client = rpcClient(url, { timeout: RPC_TIMEOUT, abilities: new NodeAbilities(() => true) })
      const begun = Date.now()
      const [ok, status] = await Promise.all([client.getChainId(), client.getBlockNumber()]).then(
        ([id, head]) => [true, `is on chain ${id} at block ${head}, ${Date.now() - begun} ms`] as const,
        (error) => [false, transportFailure(error)?.reason ?? 'does not answer'] as const,
      )
      yield { ok, text: `${chain}, node ${url.host}: ${status}` }
    }
}

/**
 * Tests the abilities of the nodes of a chain. Yields a warning for each missing one, and a failure if no node returns
 * events.
 */
export async function* limitFindings(chain: Chain): AsyncGenerator<Finding> {
  const { chainId, nodes } = chain
  const asked = await nodes
    .askAll((client, _, abilities) => exercise({ client, chain, abilities }))
    .catch(() => [] as boolean[])
  for (const { host, limits } of nodes.health)
    for (const limit of limits) yield { ok: false, optional: true, text: `chain ${chainId}, node ${host}: ${limit}` }
  // unresponsive nodes have a finding already
  if (asked.length === 0) return
  const ok = asked.includes(true)
  yield { ok, text: `chain ${chainId}: ${ok ? 'a node gives' : 'no node gives'} the events that the index reads` }
}

/** Sends the requests of the service to one node and records its limits. Returns whether the node returns events. */
async function exercise(node: { client: PublicClient; chain: Chain; abilities: NodeAbilities }): Promise<boolean> {
  const { client, abilities } = node
  const heads = await Promise.all(Array.from({ length: BATCH }, () => client.getBlockNumber()))
  const head = Number(heads[0])
  const gives = (blocks: number) =>
    eventsOf(node, Math.max(0, head - blocks + 1), head).then(
      () => true,
      (error) => {
        if (refusal(error) === undefined) throw error
        return false
      },
    )
  let size = Math.min(BLOCKS, head + 1)
  let refused = Number.POSITIVE_INFINITY
  while (!(await gives(size))) {
    if (abilities.logs.needsAddress) return true
    if (size === 1) return false
    refused = size
    size = Math.floor(size / 2)
  }
  while (size + 1 < refused && refused <= FEW) {
    const middle = Math.floor((size + refused) / 2)
    if (await gives(middle)) size = middle
    else refused = middle
  }
  return true
}
