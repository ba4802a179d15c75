import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'libsql'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { owned } from '../../../../test/helpers/children.js'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { program } from '../../../../test/helpers/command.js'
import { deployed } from '../../../../test/helpers/contracts.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { batched, publishMany, stateCall } from '../../../../test/helpers/many-assets.js'
import { prepared } from '../../../../test/helpers/prepared.js'
import { reorganise } from '../../../../test/helpers/reorganise.js'
import { RpcProxy } from '../../../../test/helpers/rpc-proxy.js'
import { sized } from '../../../../test/helpers/sizes.js'
import { DocumentReader } from '../../../catalog/src/documents.js'
import { ChainFollower } from '../../../catalog/src/index/follower.js'
import type { Chain } from '../../../chain/src/chains.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { type Anvil, DEV_CHAIN_ID, startAnvil } from '../../../dev-network/src/anvil.js'
import { type AddressEntry, DEV_NETWORK, deployContracts } from '../../../dev-network/src/deploy.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { connectChains } from '../../src/app/connect.js'
import { loadSettings } from '../../src/config/load.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import { TaskSandbox } from '../../src/tasks/task-sandbox.js'

const COUNT = sized(120, 1000)
const KILLS = sized(3, 20)
const said: string[] = []
const LOG = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_: object, line: string) => void said.push(line),
  error: () => undefined,
}

/** Many assets, and an indexer that is killed, or whose nodes fail or reorganise. */
describe('the index of many assets', () => {
  let anvil: Anvil
  let addresses: AddressEntry
  let environment: Record<string, string>
  let chain: Chain
  let batch: Address
  let dids: string[]
  const sandbox = new TaskSandbox()
  const documents = new DocumentReader(sandbox, 1e6)
  const root = newFolder()

  beforeAll(async () => {
    anvil = await startAnvil({ port: 0, loadFile: prepared('chain', 'chain.json') })
    const made = prepared('chain', 'address.json')
    addresses = made ? JSON.parse(readFileSync(made, 'utf8'))[DEV_NETWORK] : await deployContracts(anvil.rpcUrl)
    writeFileSync(join(root, 'address.json'), JSON.stringify({ [DEV_NETWORK]: addresses }))
    environment = {
      NETWORK_URL: JSON.stringify({ [DEV_CHAIN_ID]: anvil.rpcUrl }),
      PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      ADDRESS_FILE: join(root, 'address.json'),
      // a block of many assets takes as long as the machine needs
      RPC_TIMEOUT: '60000',
    }
    chain = await chainAt(anvil.rpcUrl)
    batch = await deployed(anvil.rpcUrl, 'Batch')
    dids = (await publish(COUNT)).map((nft) => didOf(nft, DEV_CHAIN_ID))
    // mining a thousand assets takes as long as the machine needs
  })
  afterAll(async () => {
    await sandbox.close()
    await anvil.stop()
  })

  async function chainAt(...urls: string[]): Promise<Chain> {
    const settings = loadSettings({ ...environment, NETWORK_URL: JSON.stringify({ [DEV_CHAIN_ID]: urls }) })
    return (await connectChains(settings)).get(DEV_CHAIN_ID) as Chain
  }
  const publish = (count: number) =>
    publishMany(anvil.rpcUrl, { factory: addresses.ERC721Factory, batch, publicKey: chain.key.publicKey, count })
  const head = async () => Number(await chain.nodes.ask((client) => client.getBlockNumber()))
  const rpc = (method: string, params: unknown[]) =>
    chain.nodes.ask((client) => client.request({ method, params } as never))

  /** Follows to the head with a store in a folder, then closes it. */
  async function follow(folder: string, on = chain, blockRange = 500): Promise<void> {
    const store = openSqliteStore(join(root, folder))
    const options = { blockRange, concurrency: 4, pollInterval: 10, documents, reorgDepth: 64 }
    const follower = new ChainFollower(on, store.index, options, LOG)
    await eventually(async () => {
      await follower.step().catch(() => undefined)
      return (await store.index.cursor(DEV_CHAIN_ID))?.block === (await head())
    })
    await store.close()
  }

  /** Every row of the index, in a stable order. */
  function rows(folder: string): Record<string, unknown[]> {
    const db = new Database(join(root, folder, DATABASE_FILE), { readonly: true })
    const tables = ['index_cursor', 'index_nft', 'index_datatoken', 'index_asset']
    const read = (table: string) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3`).raw().all()
    const all = Object.fromEntries(tables.map((table) => [table, read(table)]))
    db.close()
    return all
  }

  it('resolves each of them', async () => {
    await follow('fresh')
    const store = openSqliteStore(join(root, 'fresh'))
    expect(dids).toHaveLength(COUNT)
    for (const did of dids) expect((await store.index.asset(did))?.metadata).toMatchObject({ did, reason: null })
    await store.close()
  })

  it(`equals a fresh index, row by row, after kill -9 at ${KILLS} moments (threat 32)`, async () => {
    const folder = join(root, 'killed')
    // through this process, so that nothing is read while it stands still
    const proxy = await RpcProxy.before(anvil.rpcUrl)
    const running = (): ChildProcess =>
      owned(
        spawn(process.execPath, [...program(), 'start'], {
          stdio: ['ignore', 'ignore', 'inherit'],
          env: {
            ...process.env,
            ...environment,
            NETWORK_URL: JSON.stringify({ [DEV_CHAIN_ID]: proxy.url }),
            STATE_DIR: folder,
            HOST: '127.0.0.1',
            PORT: '0',
            INDEX_BLOCK_RANGE: '1',
            LOG_LEVEL: 'error',
          },
        }),
      )
    const reached: number[] = []
    for (let kill = 0; kill < KILLS; kill++) {
      const store = openSqliteStore(folder)
      const block = async () => (await store.index.cursor(DEV_CHAIN_ID))?.block ?? -1
      const before = await block()
      const child = running()
      // within a few ranges after its first commit
      await eventually(async () => (await block()) > before, undefined, 1)
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 40))
      child.kill('SIGKILL')
      await once(child, 'exit')
      reached.push(await block())
      await store.close()
    }
    proxy.close()
    expect(reached[0]).toBeLessThan(await head())
    await follow('killed')
    await follow('fresh')
    expect(rows('killed')).toEqual(rows('fresh'))
  })

  it('equals a fresh index after a reorganisation of 12 blocks (threat 33)', async () => {
    const [nft] = (await publish(1)) as [Address]
    await follow('old')
    const asset = async (folder: string) => {
      const store = openSqliteStore(join(root, folder))
      const found = await store.index.asset(didOf(nft, DEV_CHAIN_ID))
      await store.close()
      return found
    }
    for (let at = 0; at < 10; at++) {
      await batched(anvil.rpcUrl, batch, [stateCall(nft, at % 6)])
      await follow('old')
    }
    expect((await asset('old'))?.metadata.state).toBe(3)
    const [at, hash] = [await head(), (await asset('old'))?.metadata.txId]
    await reorganise(rpc, 10)
    await follow('old')
    await follow('after')
    expect(await head()).toBe(at)
    expect((await asset('old'))?.metadata).toMatchObject({ state: 0, txId: hash })
    expect(rows('old')).toEqual(rows('after'))
    await reorganise(rpc, 12)
    await follow('old')
    rmSync(join(root, 'after'), { recursive: true })
    await follow('after')
    expect(await asset('old')).toBeUndefined()
    expect(rows('old')).toEqual(rows('after'))
    // rolled back, not rebuilt
    expect(said).toEqual(Array(2).fill('chain was reorganised, index rolled back'))
    expect(rows('old').index_asset).toHaveLength(COUNT)
  })

  it('reads through a node that limits the range, one that lags and one that is dead', async () => {
    const proxies = await Promise.all([0, 1, 2].map(() => RpcProxy.before(anvil.rpcUrl)))
    const [limited, lagging, dead] = proxies as [RpcProxy, RpcProxy, RpcProxy]
    limited.maxRange = 37
    lagging.lagsAt = 90
    const hard = await chainAt(lagging.url, dead.url, limited.url)
    dead.down = true
    await follow('hard', hard)
    expect(rows('hard')).toEqual(rows('after'))
    for (const proxy of proxies) proxy.close()
  })

  it('detects a node that omits events when two nodes must agree', async () => {
    const proxies = await Promise.all([0, 1, 2].map(() => RpcProxy.before(anvil.rpcUrl)))
    const liar = proxies[0] as RpcProxy
    liar.lie = (method, truth) => (method === 'eth_getLogs' ? (truth as unknown[]).slice(1) : truth)
    environment.RPC_AGREEMENT = '2'
    await follow('lied', await chainAt(...proxies.map(({ url }) => url)))
    expect(rows('lied')).toEqual(rows('after'))
    for (const proxy of proxies) proxy.close()
  })
})
