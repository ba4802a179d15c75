import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'libsql'
import pg from 'pg'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '../../packages/database/src/sqlite/sqlite-file.js'
import { DEV_CHAIN_ID } from '../../packages/dev-network/src/anvil.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import { program } from '../helpers/command.js'
import { compressedEnd } from '../helpers/containers.js'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { cpuSeconds, memoryOf } from '../helpers/measures.js'
import { type PostgresDatabase, startPostgres } from '../helpers/postgres-database.js'
import { reorganise } from '../helpers/reorganise.js'
import { ask, createToken, freshNonce } from '../helpers/requests.js'
import { type Service, startHere } from '../helpers/service-here.js'
import { sized } from '../helpers/sizes.js'
import { CrowdedChain } from './crowded-chain.js'

const MIB = 1_048_576
const COUNT = sized(8, 1000)
const BLOCKS = sized(2, 5)
/** MiB that the service may take, with a heap of 384 MiB. */
const MEMORY = 512
/** Seconds of processor time that the service may take while a request waits: about 20 without bounds on a commit. */
const WAIT = 8
/** Milliseconds in which the index reads all of them: each of a megabyte is decompressed. */
const READING = sized(240_000, 900_000)
/** How much more than its calldata an update may take on the disk. */
const GROWTH = 20
const KEY = providerKey(`0x${'44'.repeat(32)}`)

/** A document of about a megabyte, which its publisher pays a kilobyte for. */
const LONG = compressedEnd(
  `${JSON.stringify({ name: 'long', type: 'dataset', description: 'harbour tide level '.repeat(MIB / 20) })}}`,
)

describe('blocks with many long documents that are short on the chain', () => {
  let chain: CrowdedChain
  let postgres: PostgresDatabase
  const root = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  beforeAll(async () => {
    ;[chain, postgres] = await Promise.all([CrowdedChain.start(root, COUNT), startPostgres()])
  })
  afterAll(async () => {
    await Promise.all([chain.anvil.stop(), postgres.close()])
    rmSync(root, { recursive: true })
  })

  /** The bytes of the database, without its log, whose size is bounded. */
  const sizeOf = {
    async sqlite() {
      const db = new Database(join(root, 'sqlite', DATABASE_FILE), { readonly: true })
      const [{ page_count: pages }] = db.pragma('page_count') as [{ page_count: number }]
      const [{ page_size: size }] = db.pragma('page_size') as [{ page_size: number }]
      db.close()
      return pages * size
    },
    async postgres() {
      const client = new pg.Client({ connectionString: postgres.url() })
      await client.connect()
      const { rows } = await client.query('SELECT pg_database_size(current_database()) AS size')
      await client.end()
      return Number(rows[0].size)
    },
  }

  const served = async ({ url }: Instance, nft: Address) =>
    (await ask(`${url}/api/aquarius/assets/ddo/${didOf(nft, DEV_CHAIN_ID)}`)).text.length

  /** Waits until the index has read the head. */
  async function read({ url }: Service): Promise<void> {
    const head = await chain.head()
    await eventually(async () => {
      const { json } = await ask(`${url}/ready`)
      const [{ block, lag }] = json.chains as [{ block: number; lag: number }]
      return block === head && lag === 0
    }, READING)
  }

  it.each([
    'sqlite',
    'postgres',
  ] as const)('are read and taken back within bounds of memory, time and disk, with %s (threats 86, 87 and 90)', async (database) => {
    const settings = chain.settings({
      // the documents are too much for the ceiling, which this test must not depend on
      MAX_DDO_INFLATION: '1000000',
      STATE_DIR: join(root, database),
      ...(database === 'postgres' ? { DATABASE_URL: postgres.url() } : {}),
    })
    const instance = await startInstance(settings, ['--max-old-space-size=384', ...program()])
    await read(instance)
    const before = { size: await sizeOf[database](), calldata: chain.calldata }
    const seen = { memory: 0, live: 0, signed: 0 }
    let isOver = false
    const request = async (what: 'live' | 'signed', ask: () => Promise<{ status: number }>) => {
      const pid = instance.process.pid as number
      const begun = cpuSeconds(pid)
      expect((await ask()).status).toBe(200)
      seen[what] = Math.max(seen[what], cpuSeconds(pid) - begun)
    }
    const honest = (async () => {
      while (!isOver) {
        await request('live', () => ask(`${instance.url}/live`))
        await request('signed', () => createToken(instance.url, KEY, freshNonce()))
        seen.memory = Math.max(seen.memory, memoryOf(instance.process.pid as number))
        // far less than they may wait, and leaves the processor to the service
        await sleep(50)
      }
    })()
    for (let block = 0; block < BLOCKS; block++) await chain.crowd(chain.nfts, LONG)
    await read(instance)
    for (const nft of chain.nfts) expect(await served(instance, nft)).toBeGreaterThan(MIB / 2)
    const grown = (await sizeOf[database]()) - before.size
    await reorganise((method, params) => chain.rpc(method, params), BLOCKS)
    await eventually(async () => (await served(instance, chain.nfts[0] as Address)) < MIB / 2)
    await read(instance)
    for (const nft of [...chain.nfts, ...chain.honest]) expect(await served(instance, nft)).toBeLessThan(MIB / 2)
    isOver = true
    await honest
    await instance.end()
    expect(seen.memory).toBeLessThan(MEMORY)
    expect(Math.max(seen.live, seen.signed)).toBeLessThan(WAIT)
    expect(grown).toBeLessThan(GROWTH * (chain.calldata - before.calldata))
  })

  it('hold documents that nobody can use, with a reason, beyond MAX_DDO_INFLATION (threat 88)', async () => {
    const service = await startHere(chain.settings({ STATE_DIR: join(root, 'ceiling') }))
    const document = (nft: Address) => ask(`${service.url}/api/aquarius/assets/ddo/${didOf(nft, DEV_CHAIN_ID)}`)
    await chain.crowd(chain.nfts, LONG)
    await read(service)
    const { status, json } = await document(chain.nfts[0] as Address)
    expect([status, json.error]).toEqual([404, expect.stringContaining('MAX_DDO_INFLATION')])
    expect((await document(chain.honest[0] as Address)).status).toBe(200)
    await service.end()
  })
})
