import { numberToHex, type PublicClient } from 'viem'
import type { Finding } from './files.js'

/** A node that has answered, with the chain and the head that it named. */
export interface SeenNode {
  host: string
  client: PublicClient
  id: number
  head: number
}

/** Blocks below the lowest head of the compared block: reorganisations near the head are usual. */
const DEEP = 32
/** Blocks by which a node may be behind another one: more than some seconds of the fastest chains. */
const APART = 64

/** Compares the nodes of each chain: heads that are far apart are a warning, different blocks a failure. */
export async function* agreementFindings(nodes: readonly SeenNode[]): AsyncGenerator<Finding> {
  for (const id of new Set(nodes.map((node) => node.id))) {
    const group = nodes.filter((node) => node.id === id)
    if (group.length > 1) yield* compare(id, group)
  }
}

async function* compare(id: number, nodes: readonly SeenNode[]): AsyncGenerator<Finding> {
  const heads = nodes.map(({ head }) => head)
  const highest = Math.max(...heads)
  for (const { host, head } of nodes) {
    if (highest - head <= APART) continue
    yield {
      ok: false,
      optional: true,
      text: `chain ${id}, node ${host}: is ${highest - head} blocks behind another node`,
    }
  }
  const block = Math.max(0, Math.min(...heads) - DEEP)
  const hashes = await Promise.all(nodes.map(({ client }) => hashOf(client, block)))
  // a node that has forgotten the block contradicts no other
  const known = new Set(hashes.filter((hash) => hash !== undefined))
  const ok = known.size <= 1
  const each = nodes.map(({ host }, at) => `${host} has ${hashes[at] ?? 'none'}`).join(', ')
  yield { ok, text: `chain ${id}: its nodes ${ok ? 'agree' : 'disagree'} about block ${block}${ok ? '' : `: ${each}`}` }
}

async function hashOf(client: PublicClient, block: number): Promise<string | undefined> {
  const params: [`0x${string}`, false] = [numberToHex(block), false]
  const found = await client.request({ method: 'eth_getBlockByNumber', params }).catch(() => null)
  return found?.hash ?? undefined
}
