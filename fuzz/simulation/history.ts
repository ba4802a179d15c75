import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { DocumentReader } from '../../src/assets/documents.js'
import { decodeDocument } from '../../src/assets/index/decode.js'
import { ChainFollower } from '../../src/assets/index/follower.js'
import type { Chain } from '../../src/chain/chains.js'
import { ChainNodes } from '../../src/chain/nodes.js'
import { checksummed } from '../../src/crypto/address.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import { DATABASE_FILE } from '../../src/state/sqlite-file.js'
import type { StateStore } from '../../src/state/store.js'
import { CHAIN_ID, KEY } from '../lib/honest.js'
import { FACTORY } from '../lib/logs.js'
import { type Random, randomFrom, ScriptedChain } from './chain.js'
import { FAULTS, LIES, ScriptedNode } from './node.js'

/** Blocks that a reorganisation may replace without the chain being read again. */
const REORG_DEPTH = 6
/** Things that happen in one history. */
const EVENTS_OF_A_HISTORY = 40
/** Steps after which the index must be where the chain is, once the nodes are well. */
const STEPS_TO_SETTLE = 600

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const sandbox = {
  run: async (_task: string, input: { published: never; owner: never }) => decodeDocument(input.published, input.owner),
}
const documents = new DocumentReader(sandbox as never, 100_000)
const nodesByHost = new Map<string, ScriptedNode>()

/** The time of the simulation, in milliseconds: nothing waits for it. */
let now = 1_800_000_000_000

/** From here on, time is that of the simulation, and requests reach its nodes alone. */
export function takeOver(): void {
  Date.now = () => now
  performance.now = () => now
  globalThis.fetch = async (input, init) => {
    const { host } = new URL(input instanceof Request ? input.url : input)
    const node = nodesByHost.get(host)
    if (!node) throw new Error(`There is no node ${host}.`)
    return node.answer(input instanceof Request ? await input.text() : String(init?.body))
  }
}

/** What was found wrong in a history: undefined where the index is what a fresh one is. */
export async function historyOf(seed: number): Promise<string | undefined> {
  const random = randomFrom(seed)
  const chain = new ScriptedChain(random)
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-simulation-'))
  const happened: string[] = []
  try {
    const fault = await lived(seed, random, chain, join(folder, 'index'), happened)
    if (fault) return `${fault}\n  ${happened.join('\n  ')}`
    const reference = new ScriptedNode(chain, random)
    const fresh = new Index(join(folder, 'fresh'), chainOf(`fresh-${seed}`, [reference], 1))
    await settled(fresh, chain)
    await fresh.store.close()
    const [is, should] = [rowsOf(join(folder, 'index')), rowsOf(join(folder, 'fresh'))]
    for (const [table, rows] of Object.entries(should)) {
      const wrong = [...new Set([...(is[table] ?? []), ...rows])].filter(
        (row) => is[table]?.includes(row) !== rows.includes(row),
      )
      if (wrong.length > 0) return `${table} is not that of a fresh index:\n  ${[...wrong, ...happened].join('\n  ')}`
    }
    return undefined
  } finally {
    nodesByHost.clear()
    rmSync(folder, { recursive: true })
  }
}

/** An index that follows a chain, over restarts. */
class Index {
  store: StateStore
  private follower: ChainFollower

  constructor(
    private readonly folder: string,
    private readonly chain: Chain,
  ) {
    this.store = openSqliteStore(folder)
    this.follower = this.started()
  }

  private started(): ChainFollower {
    const options = { blockRange: 7, pollInterval: 1, documents, reorgDepth: REORG_DEPTH }
    return new ChainFollower(this.chain, this.store.index, options, silent)
  }

  async restart(): Promise<void> {
    await this.store.close()
    this.store = openSqliteStore(this.folder)
    this.follower = this.started()
  }

  /** One step, whatever the nodes make of it. Anything but their failing is a fault. */
  async step(): Promise<boolean> {
    now += 50
    return this.follower.step().catch((error: unknown) => {
      if ((error as { code?: unknown }).code !== 'CHAIN_UNAVAILABLE') throw error
      now += 5000
      return true
    })
  }
}

/** Lives through a history; what is wrong with its course, if anything. */
async function lived(seed: number, random: Random, chain: ScriptedChain, folder: string, happened: string[]) {
  const lies = random(3) === 0
  const count = lies ? 3 : 1 + random(3)
  const nodes = Array.from({ length: count }, () => new ScriptedNode(chain, random))
  const liar = lies ? nodes[random(count)] : undefined
  const index = new Index(folder, chainOf(String(seed), nodes, lies ? 2 : 1))
  happened.push(`${count} nodes${lies ? ', of which two must agree and one lies' : ''}`)
  let highest = 0
  let begun = false
  const spoil = () => {
    const node = nodes[random(count)] as ScriptedNode
    // where two must agree the others are honest, if not well
    const which = liar === node ? LIES : FAULTS.filter((fault) => !(lies && fault === 'stale'))
    const fault = random(2) === 0 && node !== liar ? undefined : which[random(which.length)]
    node.become(fault)
    happened.push(`node ${nodes.indexOf(node)}: ${fault ?? 'well'}`)
  }
  liar?.become(LIES[random(LIES.length)])
  for (let at = 0; at < EVENTS_OF_A_HISTORY; at++) {
    const what = random(16)
    if (what < 4) chain.grow(1 + random(what === 0 ? 25 : 4))
    else if (what < 7) {
      const depth = random(5) === 0 ? 1 + random(20) : 1 + random(REORG_DEPTH)
      const by = Math.max(0, depth + random(4) - 1)
      chain.reorganise(depth, by)
      happened.push(`reorganised: ${depth} blocks by ${by}, head ${chain.head}`)
    } else if (what < 10) spoil()
    else if (what === 10 && random(2) === 0) {
      happened.push('restart')
      await index.restart()
    } else if (what === 11 && random(3) === 0) {
      happened.push('reindex')
      await index.store.index.begin(CHAIN_ID, true)
    } else if (what === 12) now += random(60_000)
    highest = Math.max(highest, chain.head)
    for (let steps = random(4); steps > 0; steps--) await index.step()
    const cursor = await index.store.index.cursor(CHAIN_ID)
    if (begun && !cursor) return 'the index was gone'
    begun = cursor !== undefined
    happened.push(`chain at ${chain.head}, index at ${cursor?.block ?? 'nothing'}`)
  }
  for (const node of nodes) if (node !== liar) node.become(undefined)
  // what is longer than all that was read before shows what it is
  chain.grow(highest - chain.head + REORG_DEPTH + 1)
  const fault = await settled(index, chain)
  await index.store.close()
  return fault
}

function chainOf(name: string, nodes: ScriptedNode[], agreement: number): Chain {
  const urls = nodes.map((node, at) => {
    const url = new URL(`http://node-${at}.${name}.invalid/`)
    nodesByHost.set(url.host, node)
    return url
  })
  return {
    chainId: CHAIN_ID,
    nodes: new ChainNodes(CHAIN_ID, urls, { timeout: 10_000, agreement }),
    key: KEY,
    keys: [KEY],
    deployment: { factory: checksummed(FACTORY), startBlock: 0 },
  } as unknown as Chain
}

/** Steps until the index is where the chain is, and nothing is left to do; else what is left. */
async function settled(index: Index, chain: ScriptedChain): Promise<string | undefined> {
  for (let steps = 0; steps < STEPS_TO_SETTLE; steps++) {
    const { live, next, old } = await index.store.index.readings(CHAIN_ID)
    if (live?.cursor.hash === chain.blocks.at(-1)?.hash && !next && !old) return undefined
    await index.step()
  }
  return `the index is not at the head: ${JSON.stringify(await index.store.index.readings(CHAIN_ID))}, head ${chain.head}`
}

/** The rows of the live reading, by table. */
function rowsOf(folder: string): Record<string, string[]> {
  const db = new Database(join(folder, DATABASE_FILE), { readonly: true })
  const read = (table: string) => {
    const rows = db
      .prepare(`SELECT t.* FROM ${table} t JOIN index_reading r ON r.id = t.chain_id AND r.role = 'live'`)
      .all() as Record<string, unknown>[]
    return rows.map((row) => JSON.stringify({ ...row, chain_id: 0 })).sort()
  }
  const tables = ['index_cursor', 'index_nft', 'index_datatoken', 'index_asset']
  const all = Object.fromEntries(tables.map((table) => [table, read(table)]))
  db.close()
  return all
}
