import { mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import timers from 'node:timers/promises'
import Database from 'libsql'
import { Agent, type Dispatcher } from 'undici'
import { DocumentReader } from '../../packages/catalog/src/documents.js'
import { ChainFollower } from '../../packages/catalog/src/index/follower.js'
import type { Chain } from '../../packages/chain/src/chains.js'
import { CHAIN_LIMITS } from '../../packages/chain/src/limits.js'
import { ChainNodes } from '../../packages/chain/src/nodes/nodes.js'
import { DATABASE_FILE } from '../../packages/database/src/sqlite/sqlite-file.js'
import { checksummed } from '../../packages/protocol/src/crypto/address.js'
import { ChainError } from '../../packages/protocol/src/errors.js'
import { openSqlite } from '../../packages/provider/src/state/sqlite.js'
import { type StateStore, sqlStore } from '../../packages/provider/src/state/stores.js'
import { document, documents as several } from '../../packages/provider/src/tasks/worker.js'
import { CHAIN_ID, KEY } from '../fuzz/lib/honest.js'
import { FACTORY } from '../fuzz/lib/logs.js'
import { type Random, randomFrom, ScriptedChain } from './chain.js'
import { BYZANTINE_FAULTS, FAULTS, ScriptedNode } from './node.js'

/** Blocks below the head from which a reorganisation is rolled back without a rebuild. */
const REORG_DEPTH = 6
/** Events in one history. */
const EVENTS_PER_HISTORY = 40
/** Steps within which the index must converge once the nodes are healthy. */
const STEPS_TO_CONVERGE = 600
/** Milliseconds without a block after which the index must be right, also behind a node that mixes moments. */
const QUIET = 60_000

/** Bounds of a commit that divide even small blocks, and those of the service. */
const BOUNDS_OF_COMMITS = {
  tight: { changes: 2, assets: 2, documents: 64, restored: { rows: 2, characters: 64 } },
  usual: { ...CHAIN_LIMITS.chain },
}

const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
const sandbox = {
  run: async (task: string, input: never) => (task === 'document' ? document(input) : several(input)),
}
const documents = new DocumentReader(sandbox as never, 100_000)
const nodesByHost = new Map<string, ScriptedNode>()

/** The simulated time in milliseconds; it advances without waiting. */
let now = 1_800_000_000_000

/** Turns of the event loop in which whatever is under way has settled. */
const TURNS = 20

/** Replaces clocks and connections of this process with simulated time and the scripted nodes. */
export function useSimulatedEnvironment(): void {
  Date.now = () => now
  performance.now = () => now
  // what waits lets answers come first, and then time advance
  timers.setTimeout = (async (milliseconds: number, value: unknown, { signal }: { signal?: AbortSignal } = {}) => {
    for (let turn = 0; turn < TURNS; turn++) {
      signal?.throwIfAborted()
      await timers.setImmediate()
    }
    now += milliseconds
    return value
  }) as never
  syncBuiltinESMExports()
  Agent.prototype.request = (async ({ origin, body }: Dispatcher.RequestOptions) => {
    const { host } = new URL(String(origin))
    const node = nodesByHost.get(host)
    if (!node) throw new Error(`There is no node ${host}.`)
    return node.respond(String(body))
  }) as never
}

/** Plays the history of a seed and returns the fault; undefined if the index equals a fresh one. */
export async function runHistory(seed: number): Promise<string | undefined> {
  const random = randomFrom(seed)
  const chain = new ScriptedChain(random, () => now)
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-simulation-'))
  const events: string[] = []
  try {
    usesThread = seed % 16 === 0
    Object.assign(CHAIN_LIMITS.chain, BOUNDS_OF_COMMITS[random(4) === 0 ? 'usual' : 'tight'])
    const fault = await play(seed, random, chain, join(folder, 'index'), events)
    if (fault) return `${fault}\n  ${events.join('\n  ')}`
    Object.assign(CHAIN_LIMITS.chain, BOUNDS_OF_COMMITS.usual)
    const reference = new ScriptedNode(chain, random)
    const fresh = new Index(join(folder, 'fresh'), chainOf(`fresh-${seed}`, [reference], 1))
    await converge(fresh, chain)
    await fresh.store.close()
    const [actual, expected] = [rowsOf(join(folder, 'index')), rowsOf(join(folder, 'fresh'))]
    for (const [table, rows] of Object.entries(expected)) {
      const own = actual[table] ?? []
      const missing = rows.filter((row) => !own.includes(row)).map((row) => `missing: ${row}`)
      const added = own.filter((row) => !rows.includes(row)).map((row) => `added: ${row}`)
      const diff = [...missing, ...added]
      if (diff.length > 0) return `${table} is not that of a fresh index:\n  ${[...diff, ...events].join('\n  ')}`
    }
    return undefined
  } finally {
    nodesByHost.clear()
    rmSync(folder, { recursive: true })
  }
}

class Crash extends Error {}

/** Whether the thread of the database does its share. It takes a second to start, after each restart of an index, and runs the same scripts. */
let usesThread = false

function openStore(folder: string): StateStore {
  const db = openSqlite(folder)
  if (!usesThread) Object.assign(db, { onThread: undefined })
  return sqlStore(db)
}

/** An index that follows a chain across restarts. */
class Index {
  store: StateStore
  private follower: ChainFollower

  constructor(
    private readonly folder: string,
    private readonly chain: Chain,
  ) {
    this.store = openStore(folder)
    this.follower = this.newFollower()
  }

  private newFollower(): ChainFollower {
    const options = { blockRange: 7, concurrency: 3, pollInterval: 1, documents, reorgDepth: REORG_DEPTH }
    return new ChainFollower(this.chain, this.store.index, options, silent)
  }

  async restart(): Promise<void> {
    await this.store.close()
    this.store = openStore(this.folder)
    this.follower = this.newFollower()
  }

  /** Ends the process between two commits of a step, and starts it again. */
  async crash(commits: number): Promise<void> {
    const { index } = this.store
    let left = commits
    for (const generation of [index, index.next]) {
      const { commit } = generation
      generation.commit = (batch) => {
        left -= 1
        if (left < 0) throw new Crash()
        return commit(batch)
      }
    }
    await this.step().catch((error: unknown) => {
      if (!(error instanceof Crash)) throw error
    })
    await this.restart()
  }

  /** Runs one step of the follower. Only failures of nodes are tolerated. */
  async step(pause = 50): Promise<boolean> {
    now += pause
    return this.follower.step().catch((error: unknown) => {
      if (!(error instanceof ChainError)) throw error
      now += 5000
      return true
    })
  }
}

/** Plays a history and returns the fault, if any. */
async function play(seed: number, random: Random, chain: ScriptedChain, folder: string, events: string[]) {
  const mixes = random(3) === 0
  const lies = !mixes && random(2) === 0
  const count = mixes ? 1 : lies ? 3 : 1 + random(3)
  const nodes = Array.from({ length: count }, () => new ScriptedNode(chain, random))
  const liar = lies ? nodes[random(count)] : undefined
  const index = new Index(folder, chainOf(String(seed), nodes, lies ? 2 : 1))
  events.push(`${count} nodes${lies ? ', of which two must agree and one lies' : ''}`)
  if (mixes) events.push('an address that mixes moments')
  const healthy = mixes ? 'mixes moments' : undefined
  let highest = 0
  let begun = false
  const changeFault = () => {
    const node = nodes[random(count)] as ScriptedNode
    // with a quorum of two, the other nodes may be unhealthy, but not Byzantine
    const faults = liar === node ? BYZANTINE_FAULTS : FAULTS.filter((fault) => !(lies && fault === 'stale'))
    const isHealthy = random(2) === 0 && node !== liar
    const fault = isHealthy ? healthy : faults[random(faults.length)]
    node.setFault(fault)
    events.push(`node ${nodes.indexOf(node)}: ${fault ?? 'healthy'}`)
  }
  for (const node of nodes) node.setFault(healthy)
  liar?.setFault(BYZANTINE_FAULTS[random(BYZANTINE_FAULTS.length)])
  for (let at = 0; at < EVENTS_PER_HISTORY; at++) {
    const what = random(16)
    if (what < 4) chain.grow(1 + random(what === 0 ? 25 : 4))
    else if (what < 7) {
      const depth = random(5) === 0 ? 1 + random(20) : 1 + random(REORG_DEPTH)
      const by = Math.max(0, depth + random(4) - 1)
      chain.reorganise(depth, by)
      events.push(`reorganised: ${depth} blocks by ${by}, head ${chain.head}`)
    } else if (what < 10) changeFault()
    else if (what === 10 && random(2) === 0) {
      events.push('restart')
      await index.restart()
    } else if (what === 11 && random(3) === 0) {
      events.push('reindex')
      await index.store.index.begin(CHAIN_ID, true)
    } else if (what === 12) now += random(60_000)
    else if (what === 13) {
      const commits = random(6)
      events.push(`crash after ${commits} commits`)
      await index.crash(commits)
      // the block of which a part is applied may be replaced meanwhile
      if (random(2) === 0) chain.reorganise(1 + random(3), 2 + random(3))
    }
    highest = Math.max(highest, chain.head)
    for (let steps = random(4); steps > 0; steps--) await index.step()
    const cursor = await index.store.index.cursor(CHAIN_ID)
    if (begun && !cursor) return 'the index was gone'
    begun = cursor !== undefined
    events.push(`chain at ${chain.head}, index at ${cursor?.block ?? 'nothing'}`)
  }
  for (const node of nodes) if (node !== liar) node.setFault(healthy)
  // longer than any chain that was read before, so that every node exposes a reorganisation
  chain.grow(highest - chain.head + REORG_DEPTH + 1)
  const quietSince = now
  const fault = await converge(index, chain)
  if (!fault) while (now < quietSince + QUIET) await index.step(2000)
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

/** Steps until the index is at the head and idle; returns a description where it does not converge. */
async function converge(index: Index, chain: ScriptedChain): Promise<string | undefined> {
  for (let steps = 0; steps < STEPS_TO_CONVERGE; steps++) {
    const { live, next, old } = await index.store.index.generations(CHAIN_ID)
    if (live?.cursor.hash === chain.blocks.at(-1)?.hash && !next && !old) return undefined
    await index.step(500)
  }
  return `the index is not at the head: ${JSON.stringify(await index.store.index.generations(CHAIN_ID))}, head ${chain.head}`
}

/** The rows of the live generation, by table. */
function rowsOf(folder: string): Record<string, string[]> {
  const db = new Database(join(folder, DATABASE_FILE), { readonly: true })
  const read = (table: string) => {
    const rows = db
      .prepare(`SELECT t.* FROM ${table} t JOIN index_reading r ON r.id = t.chain_id AND r.role = 'live'`)
      .all() as Record<string, unknown>[]
    return rows.map((row) => JSON.stringify({ ...row, chain_id: 0 })).sort()
  }
  const tables = ['cursor', 'nft', 'datatoken', 'asset', 'order', 'market', 'offer'].map((name) => `index_${name}`)
  const all = Object.fromEntries(tables.map((table) => [table, read(table)]))
  db.close()
  return all
}
