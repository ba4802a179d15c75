import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ethers, type Wallet } from 'ethers'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DATABASE_FILE } from '../../packages/database/src/sqlite/sqlite-file.js'
import { openSqlite } from '../../packages/provider/src/state/sqlite.js'
import type { Place } from '../../packages/provider/src/state/transfer/place.js'
import { runCommand } from '../helpers/command.js'
import { runHere } from '../helpers/command-here.js'
import { acquire, mined, order } from '../helpers/consume.js'
import { eventually } from '../helpers/eventually.js'
import { startInstance } from '../helpers/instance.js'
import type { ProviderFees } from '../helpers/ocean.js'
import { type PostgresDatabase, startPostgres } from '../helpers/postgres-database.js'
import type { Published } from '../helpers/publish.js'
import { ask, downloadParams } from '../helpers/requests.js'
import { type Service, startHere } from '../helpers/service-here.js'
import { valueIn } from '../helpers/states.js'
import { World } from '../helpers/world.js'

const FILE = Buffer.alloc(1000, 'x')
const FLAT = '1500000000000000001'

/** A service with sales, and a report beside it. */
describe.each(['sqlite', 'postgres'] as const)('tidegate report on %s', (database) => {
  let world: World
  let postgres: PostgresDatabase | undefined
  let instance: Service
  let environment: Record<string, string>
  let asset: Published
  let buyer: Wallet
  let publisher: Wallet
  let txId: string
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))

  beforeAll(async () => {
    ;[world, postgres] = await Promise.all([World.start(), database === 'postgres' ? startPostgres() : undefined])
    environment = world.beside({
      STATE_DIR: folder,
      PROVIDER_FEES: JSON.stringify([{ name: 'standard', flat: FLAT }]),
      ...(postgres ? { DATABASE_URL: postgres.url() } : {}),
    })
    // beside a process of its own where the database is a file; a server does not tell who connects
    instance = await (database === 'sqlite' ? startInstance : startHere)(environment)
    ;[buyer, publisher] = await Promise.all([world.somebody(), world.somebody()])
    const files = [world.storage.file('/a.bin', FILE), broken()].map((url) => ({ type: 'url', url, method: 'GET' }))
    asset = await world.publish({ publisher, files })
    txId = await buy()
    for (const file of ['0', '0', '1']) await download(file)
    // a range counts with the delivery of its file; an unsatisfiable range and a missing file do not count
    await download('0', { range: 'bytes=0-99' })
    await download('0', { range: 'bytes=5000-' })
    await download('7')
    await recorded(3)
  })
  afterAll(async () => {
    await instance?.end()
    await postgres?.close()
    await world.close()
    rmSync(folder, { recursive: true })
  })

  /** Waits until so many deliveries of the order are in the database, and its fee, which may come a moment later. */
  const recorded = (deliveries: number) => {
    const place: Place = postgres ? { kind: 'postgres', url: postgres.url() } : { kind: 'embedded', folder }
    const count = 'SELECT count(*) AS n FROM deliveries WHERE EXISTS (SELECT 1 FROM order_fees)'
    return eventually(async () => Number(await valueIn(place, count).catch(() => 0)) === deliveries, undefined, 50)
  }
  const broken = () =>
    world.storage.on('/broken', (_request, response) => {
      response.writeHead(200, { 'content-length': 1000 }).write('x'.repeat(500), () => response.destroy())
    })
  async function buy(): Promise<string> {
    const { Ocean } = world.network.addresses
    const signer = world.provider.getSigner(0)
    const abi = ['function transfer(address,uint256)', 'function approve(address,uint256)']
    const token = new ethers.Contract(Ocean, abi, signer)
    await mined(token.transfer?.(buyer.address, ethers.utils.parseEther('100')))
    await mined(token.connect(buyer).approve?.(asset.datatoken, ethers.utils.parseEther('100')))
    await acquire(world.network, asset, buyer)
    const query = { documentId: asset.did, serviceId: 'tide-access', consumerAddress: buyer.address }
    const url = `${instance.url}/api/services/initialize?${new URLSearchParams(query)}`
    let quoted: Record<string, unknown> = {}
    await eventually(async () => {
      quoted = (await ask(url)).json
      return quoted.providerFee !== undefined
    })
    expect(quoted).toMatchObject({ providerFeeRule: 'standard', providerFee: { providerFeeAmount: FLAT } })
    return order(world.network, asset, buyer, quoted.providerFee as ProviderFees)
  }
  async function download(fileIndex: string, headers: Record<string, string> = {}): Promise<void> {
    const params = await downloadParams(asset, txId, buyer, { fileIndex })
    await ask(`${instance.url}/api/services/download?${params}`, { headers }).catch(() => undefined)
  }
  const run = (...args: string[]) => runHere(['report', ...args], environment)
  async function lines(...args: string[]) {
    const { stdout, stderr, status } = await run('--json', ...args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return JSON.parse(stdout) as Record<string, unknown>[]
  }
  const counts = { deliveries: 3, complete: 2, bytes: 2600, orders: 1 }
  const fees = () => [
    {
      chainId: world.network.chainId,
      token: world.network.addresses.Ocean,
      amount: FLAT,
      decimals: 18,
      decimal: '1.500000000000000001',
    },
  ]

  it('counts deliveries and earnings beside the running service, in total and by each breakdown', async () => {
    expect(await lines()).toEqual([{ ...counts, fees: fees() }])
    expect(await lines('--by', 'asset')).toEqual([{ asset: asset.did, ...counts, fees: fees() }])
    expect(await lines('--by', 'consumer')).toEqual([{ consumer: buyer.address, ...counts, fees: fees() }])
    expect(await lines('--by', 'publisher')).toEqual([{ publisher: publisher.address, ...counts, fees: fees() }])
    // days follow the clocks of the service and the chain, which the test does not know
    const days = await lines('--by', 'day')
    expect(days.map(({ day }) => day)).toEqual(days.map(() => expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/)))
    expect(days.reduce((sum, { deliveries }) => sum + Number(deliveries), 0)).toBe(3)
    expect(await lines('--until', '2020-01-01')).toEqual([
      { deliveries: 0, complete: 0, bytes: 0, orders: 0, fees: [] },
    ])
    expect(await lines('--until', '2020-01-01', '--by', 'day')).toEqual([])
  })

  it('prints CSV for spreadsheets, and text for people', async () => {
    const csv = ['report', '--csv', '--by', 'asset']
    // as a process, which ends by itself, for one of the two databases
    const { stdout } = await (postgres ? runCommand : runHere)(csv, environment)
    expect(stdout).toBe(
      `asset,deliveries,complete,bytes,orders,fee_chain,fee_token,fee_amount,fee_decimal\r\n${asset.did},3,2,2600,1,${world.network.chainId},${world.network.addresses.Ocean},${FLAT},1.500000000000000001\r\n`,
    )
    const text = (await run('--since', '2020-01-01')).stdout
    expect(text).toMatch(/^period +deliveries +complete +bytes +orders\nall +3 +2 +2600 +1\n/)
    expect(text).toContain(`fees on chain ${world.network.chainId}: 1.500000000000000001 of 0x`)
  })

  it('works without a node, and then knows no decimals', async () => {
    const away = { ...environment, NETWORK_URL: JSON.stringify({ [world.network.chainId]: 'http://127.0.0.1:1' }) }
    const { stdout, status } = await runHere(['report', '--csv'], away)
    expect(status).toBe(0)
    expect(stdout).toMatch(new RegExp(`,${FLAT},\r\n$`))
  })

  it('keeps its rows across a restart, and counts each fee once after further downloads', async () => {
    await download('0')
    await instance.end()
    const all = { ...counts, deliveries: 4, complete: 3, bytes: 3600 }
    expect(await lines()).toEqual([{ ...all, fees: fees() }])
    instance = await startHere(environment)
    await download('0')
    await instance.end()
    expect(await lines()).toEqual([{ ...all, deliveries: 5, complete: 4, bytes: 4600, fees: fees() }])
  })
})

describe('tidegate report', () => {
  it.each([
    [['--since', 'yesterday'], /^tidegate: option '--since <time>' argument 'yesterday' is invalid/],
    [['--since', '2026-02-31'], /^tidegate: option '--since <time>'/],
    [['--until', '2026-1-1'], /^tidegate: option '--until <time>'/],
    [['--since', '2026-01-02', '--until', '2026-01-02'], /^tidegate: --since: must be before --until/],
    [['--by', 'week'], /^tidegate: option '--by <what>' .*Allowed choices are day, asset, consumer, publisher/],
    [['--csv', '--json'], /^tidegate: option '--csv' cannot be used with option '--json'/],
  ])('refuses %s', async (args, message) => {
    const answer = { status: 2, stdout: '', stderr: expect.stringMatching(message) }
    expect(await runHere(['report', ...args], {})).toMatchObject(answer)
  })

  it('refuses a database of another version, and leaves it unchanged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    await openSqlite(folder).close()
    const db = new Database(join(folder, DATABASE_FILE))
    db.exec("DELETE FROM tidegate_schema WHERE owner = 'webhooks'; DROP TABLE webhook_events")
    const versions = () => db.prepare('SELECT * FROM tidegate_schema').all()
    const before = versions()
    const { status, stderr } = await runHere(['report'], {
      NETWORK_URL: 'http://127.0.0.1:1',
      PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`,
      STATE_DIR: folder,
    })
    expect(status).toBe(2)
    expect(stderr).toContain('it was made by another version of Tidegate than this')
    expect(versions()).toEqual(before)
    db.close()
    rmSync(folder, { recursive: true })
  })

  it('creates no database if none exists', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
    const env = { NETWORK_URL: 'http://127.0.0.1:1', PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}`, STATE_DIR: folder }
    expect(await runHere(['report'], env)).toEqual({
      status: 2,
      stdout: '',
      stderr: `tidegate: STATE_DIR: there is no database in ${folder}.\n`,
    })
    rmSync(folder, { recursive: true })
  })
})
