import { setTimeout as sleep } from 'node:timers/promises'
import { rpcClient, walletClient } from '@tidegate/chain'
import { createTidegate, type FileObject, type Tidegate, TidegateError } from '@tidegate/client'
import { SECONDS } from '@tidegate/protocol/constants'
import type { PublicClient } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { NetworkInfo } from '../info.js'
import { DEV_LIMITS } from '../limits.js'
import { CATALOGUE } from './catalogue.js'
import { type FileServer, startFileServer } from './file-server.js'
import { readNotes, type SeedNotes, writeNotes } from './notes.js'
import type { Sample } from './sample.js'

/** Age in seconds of a new chain for sample data: more than the oldest sample. */
export const SEED_AGE = 61 * SECONDS.day

export interface Seeded {
  /** DIDs of the sample assets, by their keys. */
  assets: Record<string, string>
  /** Stops the file server. */
  close(): Promise<void>
}

/** A step of the history, so many days ago. */
interface Step {
  id: string
  day: number
  act(): Promise<unknown>
}

/**
 * Publishes the sample assets, orders some and retires one, with the client library and the accounts of the network.
 * Block times are in the past, if the chain is young enough. Steps in the notes of `file` are skipped. Resolves when the
 * index has read all steps. Throws TidegateError if the service refuses a step, and Error if the index takes a minute.
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
      ...Object.entries(orders).flatMap(([buyer, days]) =>
        days.map((day) => ({ id: `order ${key} ${day}`, day, act: () => buy(Number(buyer)) })),
      ),
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
  // an asset cannot be ordered before it is indexed
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

/** Waits until the index has read a block. */
function untilRead(client: Tidegate, block: number): Promise<void> {
  return indexed(`block ${block}`, async () => {
    const progress = await answered<{ chains: { block: number | null }[] }>(client, '/ready', 503)
    return progress?.chains.every((chain) => (chain.block ?? -1) >= block)
  })
}

/** Waits until `look` returns a true value. Throws after a minute; `what` is for the error. */
async function indexed(what: string, look: () => Promise<unknown>): Promise<void> {
  for (const deadline = Date.now() + DEV_LIMITS.seed.index; !(await look()); await sleep(20))
    if (Date.now() > deadline) throw new Error(`The index has not read ${what} within a minute.`)
}

/** Returns the response of a path; undefined for status `notYet`. Throws TidegateError for other failures. */
async function answered<T>({ context }: Tidegate, path: string, notYet: number): Promise<T | undefined> {
  try {
    return await context.api.get<T>(path)
  } catch (error) {
    if (error instanceof TidegateError && error.status === notYet) return undefined
    throw error
  }
}

/** A client for each account of the network. */
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

/** Sets the time of the next block to so many days ago. The time of a younger chain continues. */
async function travel(node: PublicClient, days: number): Promise<void> {
  const time = Math.floor(Date.now() / 1000 - days * SECONDS.day)
  const { timestamp } = await node.getBlock()
  if (time <= Number(timestamp)) return
  await node.request({ method: 'evm_setNextBlockTimestamp', params: [time] } as never)
  if (days === 0) await node.request({ method: 'evm_mine', params: [] } as never)
}
