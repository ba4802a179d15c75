import { CATALOG_LIMITS, eventsOf } from '@tidegate/catalog'
import {
  type CallUntrusted,
  type Chain,
  NodeAbilities,
  refusal,
  rpcClient,
  transportFailure,
  untrustedView,
} from '@tidegate/chain'
import { type PublicClient, zeroAddress } from 'viem'
import type { Settings } from '../../config/schema.js'
import { agreementFindings, type SeenNode } from './agreement.js'
import type { Finding } from './files.js'

/** Calls in the tested batch. The service rarely sends more. */
const BATCH = 20
/** Heads that are requested in sequence: a balancer may choose another node for each. */
const HEADS = 10
/** Blocks in the tested log request: the first range of the index. */
const BLOCKS = CATALOG_LIMITS.index.firstRange
/** Range in blocks below which the exact limit of a node is searched. */
const FEW = 64

/** Checks every node, also those without which the service could start, and compares the nodes of each chain. */
export async function* nodeFindings({ NETWORK_URL, RPC_TIMEOUT }: Settings): AsyncGenerator<Finding> {
  const configured: [string, URL[]][] = NETWORK_URL.all
    ? [['chain', NETWORK_URL.all]]
    : [...NETWORK_URL.byChain].map(([chainId, urls]) => [`chain ${chainId}`, urls])
  for (const [chain, urls] of configured) {
    const seen: SeenNode[] = []
    for (const url of urls) {
      const abilities = new NodeAbilities(() => true)
      const client = rpcClient(url, { timeout: RPC_TIMEOUT, abilities })
      const begun = Date.now()
      const status = await Promise.all([client.getChainId(), client.getBlockNumber()]).then(
        ([id, head]) => {
          seen.push({ host: url.host, client, id, head: Number(head) })
          return `is on chain ${id} at block ${head}, ${Date.now() - begun} ms`
        },
        (error) => abilities.limits.get('moments') ?? transportFailure(error)?.reason ?? 'does not answer',
      )
      yield { ok: seen.at(-1)?.client === client, text: `${chain}, node ${url.host}: ${status}` }
    }
    yield* agreementFindings(seen)
  }
}

/**
 * Tests the abilities of the nodes of a chain. Yields a warning for each missing one, and a failure if no node returns
 * events.
 */
export async function* limitFindings(chain: Chain): AsyncGenerator<Finding> {
  const { chainId, nodes } = chain
  const asked = await nodes
    .askAll((client, callUntrusted, abilities) => exercise({ client, callUntrusted, chain, abilities }))
    .catch(() => [] as boolean[])
  for (const { host, limits } of nodes.health)
    for (const limit of limits) yield { ok: false, optional: true, text: `chain ${chainId}, node ${host}: ${limit}` }
  // unresponsive nodes have a finding already
  if (asked.length === 0) return
  const ok = asked.includes(true)
  yield { ok, text: `chain ${chainId}: ${ok ? 'a node gives' : 'no node gives'} the events that the index reads` }
}

/** Sends the requests of the service to one node and records its limits. Returns whether the node returns events. */
async function exercise(node: {
  client: PublicClient
  callUntrusted: CallUntrusted
  chain: Chain
  abilities: NodeAbilities
}): Promise<boolean> {
  const { client, abilities, callUntrusted, chain } = node
  await untrustedView(callUntrusted, chain.deployment.factory, 'erc721List', [zeroAddress])
  // an older head rejects, and makes the limit known
  for (let at = 0; at < HEADS; at++) await client.getBlockNumber().catch(() => undefined)
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
