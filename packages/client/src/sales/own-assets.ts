import { didOf, readable, type Served } from '@tidegate/protocol/asset'
import { fieldsOf, listOf } from '@tidegate/protocol/values'
import { type Address, decodeEventLog, encodeEventTopics, pad } from 'viem'
import { EVENTS } from '../chain/abi.js'
import { contractsOf } from '../chain/contracts.js'
import { type Moment, momentOf } from '../chain/moment.js'
import { scanLogs } from '../chain/scan.js'
import type { Context } from '../context.js'
import { LIMITS } from '../limits.js'

const { ownAssets: PAGE } = LIMITS

/**
 * Returns the DIDs of the data NFTs that an account created on a chain: those in the index, and those that it hides, from the
 * chain's events. `onIncomplete` is called if the node does not list all events.
 */
export async function createdBy(
  context: Context,
  owner: Address,
  { chainId, onIncomplete }: { chainId: number; onIncomplete: (before: Date) => void },
): Promise<string[]> {
  const moment = await momentOf(context, chainId)
  const [listed, { found, incompleteBefore }] = await Promise.all([
    listedBy(context, owner, chainId),
    onChain(context, moment, { owner, chainId }),
  ])
  if (incompleteBefore) onIncomplete(incompleteBefore)
  return [...new Set([...listed, ...found.map(({ did }) => did)])]
}

async function onChain(context: Context, moment: Moment, { owner, chainId }: { owner: Address; chainId: number }) {
  const { factory: address } = await contractsOf(context, chainId, moment)
  const [topic] = encodeEventTopics({ abi: EVENTS, eventName: 'NFTCreated' })
  return scanLogs(moment, { topics: [topic, null, pad(owner)], address }, ({ topics, data }) => {
    const { args } = decodeEventLog({ abi: EVENTS, eventName: 'NFTCreated', topics, data, strict: true })
    // the event has no time, and no limit of time is set
    return args.admin === owner ? { did: didOf(args.newTokenAddress, chainId), time: new Date(0) } : undefined
  })
}

/** Returns the DIDs of the index alone: the documents of thousands of assets are large. */
async function listedBy(context: Context, owner: Address, chainId: number): Promise<string[]> {
  const found: string[] = []
  for (let from = 0; from + PAGE.size <= PAGE.reach; from += PAGE.size) {
    const page = await queried(context, { term: { 'nft.owner': owner } }, { from, size: PAGE.size })
    found.push(...page.filter((served) => served.chainId === chainId).map(({ did }) => did))
    if (page.length === 0) break
  }
  return found
}

/** Returns the documents of the index by DID. Documents that the index hides are left out. */
export async function documentsOf(context: Context, dids: readonly string[]): Promise<Map<string, Served>> {
  const found = new Map<string, Served>()
  const wanted = [...new Set(dids)]
  for (let at = 0; at < wanted.length; at += PAGE.size) {
    const values = wanted.slice(at, at + PAGE.size)
    for (const served of await queried(context, { ids: { values } }, { from: 0, size: PAGE.size }))
      found.set(served.did, served)
  }
  return found
}

async function queried({ api }: Context, query: object, page: { from: number; size: number }): Promise<Served[]> {
  const { hits } = fieldsOf(await api.post<unknown>('/api/aquarius/assets/query', { ...page, query }))
  const documents = listOf(fieldsOf(hits).hits, page.size).map((hit) => fieldsOf(fieldsOf(hit)._source))
  return documents.map(readable).filter((served) => served !== undefined)
}
