import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { program } from '../helpers/command.js'
import { AT_ONCE, eventually } from '../helpers/eventually.js'
import { fakeFtp } from '../helpers/fake-ftp.js'
import { fakePostgres } from '../helpers/fake-postgres.js'
import { HostileServer } from '../helpers/hostile-server.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import type { Published } from '../helpers/publish.js'
import { ask, served } from '../helpers/requests.js'
import { jsonBody } from '../helpers/storage-server.js'
import { cidOf } from '../helpers/unixfs.js'
import { World } from '../helpers/world.js'

const PRELOAD = fileURLToPath(new URL('./collecting-preload.mjs', import.meta.url))
/** Time-outs that would end a request long after its deadline. */
const PATIENT = '120000'
const CONTENT = Buffer.from('hour,height\n')
/** The contract whose calls the node never answers. */
const SILENT_CONTRACT = `0x${'51'.repeat(20)}`
const ABI = { name: 'tide', type: 'function', stateMutability: 'view', inputs: [], outputs: [{ type: 'uint256' }] }
const silent = () => undefined

describe('deadlines of a service that collects garbage all the time', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  let world: World
  let instance: Instance
  let storage: HostileServer
  let ftp: Awaited<ReturnType<typeof fakeFtp>>
  let database: Awaited<ReturnType<typeof fakePostgres>>
  let node: Server
  let hanging: Published
  let honest: Published

  /** A node that answers all calls but those to the silent contract. */
  async function partlySilentNode(): Promise<string> {
    node = createServer(async (request, response) => {
      const body = await jsonBody<{ params?: [{ to?: string }] }>(request)
      if (body.params?.[0]?.to?.toLowerCase() === SILENT_CONTRACT) return
      const answer = await fetch(world.network.rpcUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      response.setHeader('content-type', 'application/json').end(await answer.text())
    })
    node.listen(0, '127.0.0.1')
    await once(node, 'listening')
    return `http://127.0.0.1:${(node.address() as AddressInfo).port}`
  }

  beforeAll(async () => {
    world = await World.start()
    storage = await HostileServer.start(silent)
    ftp = await fakeFtp(CONTENT, { USER: silent })
    database = await fakePostgres({ password: silent })
    instance = await startInstance(
      world.beside({
        NETWORK_URL: JSON.stringify({ [world.network.chainId]: await partlySilentNode() }),
        STATE_DIR: folder,
        IPFS_GATEWAY: `http://127.0.0.1:${storage.port}`,
        // the honest file is described within it on a busy machine
        DESCRIBE_TIMEOUT: '5000',
        STORAGE_CONNECT_TIMEOUT: PATIENT,
        STORAGE_RESPONSE_TIMEOUT: PATIENT,
        STORAGE_STALL_TIMEOUT: PATIENT,
        SQL_TIMEOUT: PATIENT,
        RPC_TIMEOUT: PATIENT,
      }),
      ['--expose-gc', '--import', PRELOAD, ...program()],
    )
    hanging = await world.publish({ files: [url()] })
    honest = await world.publishUrl(world.storage.file('/honest.csv', CONTENT))
    await served(instance.url, hanging)
    await served(instance.url, honest)
  })

  afterAll(async () => {
    await instance?.end()
    await world?.close()
    await storage?.close()
    await ftp?.close()
    await database?.close()
    node?.closeAllConnections()
    node?.close()
    rmSync(folder, { recursive: true })
  })

  const url = () => ({ type: 'url', url: `http://127.0.0.1:${storage.port}/tides.csv`, method: 'GET' })
  const fileinfo = (body: object) =>
    ask(`${instance.url}/api/services/fileinfo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })

  /** Resolves with an answer that comes long before every other time-out. */
  async function inTime<T>(answer: Promise<T>): Promise<T> {
    let isThere = false
    const noticed = answer.finally(() => {
      isThere = true
    })
    noticed.catch(silent)
    await eventually(() => isThere, AT_ONCE)
    return noticed
  }

  it('give up a storage of any kind that answers nothing (threat 102)', async () => {
    const files = {
      url: url(),
      ipfs: { type: 'ipfs', hash: `${cidOf(CONTENT)}` },
      ftp: { type: 'ftp', url: ftp.url() },
      sql: { type: 'sql', url: database.url(), query: 'SELECT 1' },
      smartcontract: { type: 'smartcontract', chainId: world.network.chainId, address: SILENT_CONTRACT, abi: ABI },
    }
    const answers = await Promise.all(Object.values(files).map((file) => inTime(fileinfo(file))))
    expect(answers.map(({ json }) => json)).toEqual(
      Object.keys(files).map((type) => [{ index: 0, valid: false, type, reason: 'timeout' }]),
    )
  })

  it('end the wait for a published file and for its quote, beside an honest file (threat 102)', async () => {
    const service = ({ did, ddo }: Published) => ({ did, serviceId: ddo.services[0]?.id as string })
    const quote = ({ did, ddo }: Published) =>
      ask(
        `${instance.url}/api/services/initialize?${new URLSearchParams({
          documentId: did,
          serviceId: ddo.services[0]?.id as string,
          consumerAddress: SILENT_CONTRACT,
          fileIndex: '0',
        })}`,
      )
    const [described, quoted] = await Promise.all([
      Promise.all([hanging, honest].map((asset) => inTime(fileinfo(service(asset))))),
      Promise.all([hanging, honest].map((asset) => inTime(quote(asset)))),
    ])
    expect(described.map(({ json }) => json)).toMatchObject([
      [{ index: 0, valid: false, type: 'url' }],
      [{ valid: true, contentLength: `${CONTENT.length}` }],
    ])
    expect(quoted.map(({ status }) => status)).toEqual([400, 200])
  })
})
