import { setTimeout as sleep } from 'node:timers/promises'
import { rpcClient, walletClient } from '@tidegate/chain'
import { createTidegate, type FileObject, type Tidegate, TidegateError } from '@tidegate/client'
import type { PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { NetworkInfo } from '../info.js'
import { CATALOGUE, type Sample } from './catalogue.js'
import { type FileServer, startFileServer } from './file-server.js'
import { readNotes, type SeedNotes, writeNotes } from './notes.js'

/** Seconds before the present at which a chain for sample data begins: more than the oldest sample. */
export const SEED_AGE = 61 * 86_400
/** Milliseconds within which the index must have read what was done. */
const INDEXED = 60_000

export interface Seeded {
  /** DIDs of the sample assets, by their keys. */
  assets: Record<string, string>
  /** Ends the server of the files that were not uploaded. */
  close(): Promise<void>
}

/** Something that somebody does, some days ago. */
interface Step {
  id: string
  day: number
  act(): Promise<unknown>
}

/**
 * Publishes the sample assets, orders some and retires one, as anybody would: by the client library, from the accounts of
 * the network. Blocks get timestamps in the past, as far as the chain is young enough. What an earlier run has done,
 * according to the notes in `file`, is not repeated. Resolves once the index has read all of it. Throws TidegateError where
 * the service refuses a step, and Error if the index takes a minute.
 */
export async function seed(network: NetworkInfo, file: string): Promise<Seeded> {
  const notes = readNotes(file, network.addresses.ERC721Factory)
  const served = CATALOGUE.flatMap(({ from }) => ('served' in from ? from.served : []))
  const server = await startFileServer(served, notes.filesPort)
  try {
    notes.filesPort = server.port
    writeNotes(file, notes)
    const node = rpcClient(new URL(network.rpcUrl))
    const people = new People(network, node)
    const steps = stepsOf({ network, people, server, notes }).sort((a, b) => b.day - a.day)
    for (const { id, day, act } of steps) {
      if (notes.done.includes(id)) continue
      await travel(node, day)
      await act()
      notes.done.push(id)
      writeNotes(file, notes)
    }
    await travel(node, 0)
    await untilRead(people.of(0), Number(await node.getBlockNumber()))
    return { assets: notes.assets, close: () => server.close() }
  } catch (error) {
    await server.close()
    throw error
  }
}

interface Stage {
  network: NetworkInfo
  people: People
  server: FileServer
  notes: SeedNotes
}

function stepsOf(stage: Stage): Step[] {
  const { people, notes } = stage
  return CATALOGUE.flatMap((sample): Step[] => {
    const { key, publisher, published, orders, retired } = sample
    const did = () => notes.assets[key] as string
    const buy = async (buyer: number) => people.of(buyer).buy(did())
    return [
      {
        id: `publish ${key}`,
        day: published,
        act: async () => {
          notes.assets[key] = await publish(stage, sample)
        },
      },
      ...orders.map(([day, buyer]) => ({ id: `order ${key} ${day}`, day, act: () => buy(buyer) })),
      ...(retired === undefined
        ? []
        : [{ id: `retire ${key}`, day: retired, act: () => people.of(publisher).setState(did(), 'retired') }]),
    ]
  })
}

async function publish({ network, people, server }: Stage, sample: Sample): Promise<string> {
  const { publisher, name, description, author, license, tags, price, timeout, allow } = sample
  const client = people.of(publisher)
  const { did } = await client.publish({
    files: await filesOf(client, sample, { network, server }),
    name,
    description,
    author,
    license,
    tags: [...tags],
    price: price === 'free' ? price : { amount: price.amount, token: network.addresses[price.token] },
    timeout,
    ...(allow ? { access: allow.map((index) => people.addressOf(index)) } : {}),
  })
  // before that it cannot be ordered
  await indexed(`asset ${did}`, () => answered(client, `/api/aquarius/assets/ddo/${did}`, 404))
  return did
}

async function filesOf(
  client: Tidegate,
  { from }: Sample,
  { network, server }: Pick<Stage, 'network' | 'server'>,
): Promise<FileObject[]> {
  if ('contract' in from) return [from.contract(network.addresses)]
  if ('served' in from) return from.served.map((file) => ({ type: 'url', url: server.urlOf(file), method: 'GET' }))
  const objects: FileObject[] = []
  for (const { name, contentType, content } of from.hosted) {
    const { object } = await client.upload(new File([new Uint8Array(content)], name, { type: contentType }))
    objects.push(object)
  }
  return objects
}

/** Waits until the index of the chain has read a block. */
function untilRead(client: Tidegate, block: number): Promise<void> {
  return indexed(`block ${block}`, async () => {
    const progress = await answered<{ chains: { block: number | null }[] }>(client, '/ready', 503)
    return progress?.chains.every((chain) => (chain.block ?? -1) >= block)
  })
}

/** Waits until `look` finds something. Throws if that takes a minute; `what` is for the error. */
async function indexed(what: string, look: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + INDEXED; !(await look()); await sleep(20))
    if (Date.now() > deadline) throw new Error(`The index has not read ${what} within a minute.`)
}

/** What the service answers at a path, or undefined if it answers `notYet`, a status. Throws TidegateError for others. */
async function answered<T>({ context }: Tidegate, path: string, notYet: number): Promise<T | undefined> {
  try {
    return await context.api.get<T>(path)
  } catch (error) {
    if (error instanceof TidegateError && error.status === notYet) return undefined
    throw error
  }
}

/** Clients of the service, one for each account of the network. */
class People {
  private readonly clients = new Map<number, Tidegate>()

  constructor(
    private readonly network: NetworkInfo,
    private readonly node: PublicClient,
  ) {}

  addressOf(index: number) {
    return this.account(index).address
  }

  of(index: number): Tidegate {
    const known = this.clients.get(index)
    if (known) return known
    const account = privateKeyToAccount(this.account(index).privateKey)
    const made = createTidegate({
      url: this.network.providerUrl,
      publicClient: this.node,
      wallet: walletClient(account, this.node.request as never),
    })
    this.clients.set(index, made)
    return made
  }

  private account(index: number) {
    const found = this.network.accounts[index]
    if (!found) throw new Error(`The network has no account ${index}.`)
    return found
  }
}

/** Gives the next block the time of so many days ago; on a chain that is younger, its own time continues. */
async function travel(node: PublicClient, days: number): Promise<void> {
  const time = Math.floor(Date.now() / 1000 - days * 86_400)
  const { timestamp } = await node.getBlock()
  if (time <= Number(timestamp)) return
  await node.request({ method: 'evm_setNextBlockTimestamp', params: [time] } as never)
  if (days === 0) await node.request({ method: 'evm_mine', params: [] } as never)
}
