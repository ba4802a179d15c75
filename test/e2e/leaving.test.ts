import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { STORAGE_TYPES } from '../../packages/storage/src/kinds/registry.js'
import { output } from '../helpers/abi.js'
import { freePort } from '../helpers/backends.js'
import { newFolder } from '../helpers/cleanup.js'
import { program } from '../helpers/command.js'
import { AT_ONCE, eventually } from '../helpers/eventually.js'
import { type FtpScript, fakeFtp } from '../helpers/fake-ftp.js'
import { columns, done, fakePostgres, message, row, type Script } from '../helpers/fake-postgres.js'
import { HostileServer } from '../helpers/hostile-server.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { metricOf } from '../helpers/measures.js'
import { NameServer } from '../helpers/name-server.js'
import type { Published } from '../helpers/publish.js'
import { bareSocket, getRequest } from '../helpers/raw-consumer.js'
import { downloadUrl } from '../helpers/requests.js'
import { cidOf, RAW, tree } from '../helpers/unixfs.js'
import { World } from '../helpers/world.js'
import { fullListener } from './full-listener.js'
import { SlowNode, stallingContract } from './slow-node.js'

/** A separate host name for each kind, since look-ups are cached. */
const slowName = (kind: string) => `${kind}.slow.example.org`
const PRELOAD = fileURLToPath(new URL('./name-server-preload.mjs', import.meta.url))
const CONTENT = Buffer.alloc(100_000, 'x')
/** Time-outs that are never reached here. */
const PATIENT = '120000'
const silent = () => undefined

const STAGES = ['look-up', 'connection', 'answer', 'middle', 'last byte'] as const
type Stage = (typeof STAGES)[number]

/** Whether a consumer who leaves at a stage has received the beginning of the file. */
const begins = (stage: Stage, kind: string) => kind !== 'smartcontract' && (stage === 'middle' || stage === 'last byte')

/** A download, what it is expected to receive, and what it has open at its storage. */
interface Case {
  kind: string
  stage: Stage
  file: object
  /** The number of its open connections there, or of its look-ups in flight. */
  open: () => number
}

/** All kinds but filecoin, which has the code of ipfs, and hosted files, which have no storage to leave. */
const KINDS = STORAGE_TYPES.filter((type) => type !== 'filecoin' && type !== 'hosted')

describe.runIf(process.platform === 'linux')('when the consumer disconnects', () => {
  let world: World
  let instance: Instance
  let buyer: Wallet
  let asset: Published
  let txId: string
  let metrics: string
  let names: NameServer
  let full: Awaited<ReturnType<typeof fullListener>>
  let http: HostileServer
  let slow: SlowNode
  const fakes: { close(): Promise<void> }[] = []
  const cases: Case[] = []
  const folder = newFolder()

  /** The responses of the HTTP storage, by path. */
  const answers = new Map<string, Buffer | undefined>()
  const said = (length: number, bytes: Buffer, close = false) =>
    Buffer.concat([
      Buffer.from(`HTTP/1.1 200 OK\r\n${close ? 'connection: close\r\n' : ''}content-length: ${length}\r\n\r\n`),
      bytes,
    ])
  const elsewhere = (host: string) =>
    Buffer.from(`HTTP/1.1 302 Found\r\nlocation: http://${host}/a\r\ncontent-length: 0\r\nconnection: close\r\n\r\n`)
  const hostOf = (stage: Stage, kind: string) =>
    stage === 'look-up' ? slowName(kind) : stage === 'connection' ? `127.0.0.1:${full.port}` : `127.0.0.1:${http.port}`

  function speakHttp(socket: Socket): void {
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      const path = /^[A-Z]+ ([^ ?]+)/.exec(text)?.[1]
      if (!text.includes('\r\n\r\n') || path === undefined) return
      text = ''
      const answer = answers.get(path)
      if (answer) socket.write(answer)
      if (answer?.includes('connection: close')) socket.end()
    })
  }

  function overHttp(kind: string, path: (at: number) => string, file: (url: string, path: string) => object): void {
    for (const [at, stage] of STAGES.entries()) {
      const own = path(at)
      if (stage === 'middle') answers.set(own, said(CONTENT.length, CONTENT.subarray(0, 1000)))
      if (stage === 'last byte') answers.set(own, said(CONTENT.length, CONTENT.subarray(1)))
      // gateways are shared by all files: these responses redirect elsewhere
      if (kind === 'arweave' && at < 2) answers.set(own, elsewhere(hostOf(stage, kind)))
      const url = `http://${hostOf(stage, kind)}${own}`
      cases.push({ kind, stage, file: file(url, own), open: openAt(stage, () => http.open.size) })
    }
  }

  const openAt = (stage: Stage, there: () => number) =>
    stage === 'look-up' ? () => names.asked.length - asked : stage === 'connection' ? () => full.waiting() : there
  /** Look-ups of the slow name before this case: an aborted one stays counted. */
  let asked = 0

  function overIpfs(): void {
    for (const stage of STAGES) {
      const leaves = [0, 1, 2].map((at) => Buffer.from(`${stage} ${at} `.padEnd(1000, 'x')))
      const cids = leaves.map((leaf) => cidOf(leaf, RAW))
      const root = tree(cids.map((cid) => [cid, 1000] as const))
      const hash = cidOf(root)
      for (const [at, leaf] of leaves.entries()) {
        const path = `/ipfs/${cids[at]}`
        if (at < 2) answers.set(path, stage === 'middle' && at === 1 ? undefined : said(1000, leaf, true))
        else answers.set(path, stage === 'last byte' ? said(1000, leaf.subarray(0, -1)) : said(1000, leaf, true))
      }
      const first = {
        'look-up': elsewhere(slowName('ipfs')),
        connection: elsewhere(hostOf('connection', 'ipfs')),
        answer: undefined,
      }
      answers.set(`/ipfs/${hash}`, stage in first ? first[stage as 'answer'] : said(root.length, root, true))
      const file = { type: 'ipfs', hash: hash.toString() }
      cases.push({ kind: 'ipfs', stage, file, open: openAt(stage, () => http.open.size) })
    }
  }

  async function overSql(): Promise<void> {
    const BEGUN = Buffer.concat([message('1'), message('2'), columns({ a: 25 }), row('x'.repeat(1000)), message('s')])
    const last = Buffer.concat([row('y'), done('SELECT 2')])
    const rows = (socket: { write(bytes: Buffer): unknown }) => void socket.write(BEGUN)
    const scripts: [Stage, Script][] = [
      ['look-up', {}],
      ['connection', {}],
      ['answer', { connect: silent, startup: silent }],
      ['answer', { password: silent }],
      ['answer', { rows: silent }],
      ['middle', { rows, more: silent }],
      ['last byte', { rows, more: (socket) => void socket.write(last.subarray(0, -1)) }],
    ]
    for (const [stage, script] of scripts) {
      const server = await fakePostgres(script)
      fakes.push(server)
      const url =
        stage === 'look-up' || stage === 'connection' ? `postgres://reader@${hostOf(stage, 'sql')}/tides` : server.url()
      const file = { type: 'sql', url, query: 'SELECT 1' }
      cases.push({ kind: 'sql', stage, file, open: openAt(stage, () => server.server.open.size) })
    }
  }

  async function overFtp(): Promise<void> {
    const scripts: [Stage, FtpScript][] = [
      ['look-up', {}],
      ['connection', {}],
      ['connection', { EPSV: (socket) => void socket.write(`229 here (|||${full.port}|)\r\n`) }],
      ['answer', { greeting: silent }],
      ['answer', { SIZE: silent }],
      ['answer', { data: silent }],
      ['middle', { data: (socket) => void socket.write(CONTENT.subarray(0, 1000)) }],
      ['last byte', { data: (socket) => void socket.write(CONTENT.subarray(1)) }],
    ]
    for (const [stage, script] of scripts) {
      const server = await fakeFtp(CONTENT, script)
      fakes.push(server)
      const direct = stage === 'look-up' || (stage === 'connection' && !script.EPSV)
      const url = direct ? `ftp://${hostOf(stage, 'ftp')}/a.csv` : server.url()
      const open = openAt(stage, server.open)
      cases.push({
        kind: 'ftp',
        stage,
        file: { type: 'ftp', url },
        open: script.EPSV ? () => open() + server.open() : open,
      })
    }
  }

  function overContracts(): void {
    const abi = output('uint256')
    for (const [at, stage] of (['answer', 'middle', 'last byte'] as const).entries()) {
      const file = { type: 'smartcontract', chainId: world.network.chainId, address: stallingContract(at), abi }
      cases.push({ kind: 'smartcontract', stage, file, open: () => slow.held.size })
    }
  }

  beforeAll(async () => {
    ;[world, names, full, http] = await Promise.all([
      World.start(),
      NameServer.start(() => undefined),
      fullListener(),
      HostileServer.start(speakHttp),
    ])
    overHttp(
      'url',
      (at) => `/url-${at}`,
      (url) => ({ type: 'url', url, method: 'GET' }),
    )
    overHttp(
      's3',
      (at) => `/tides/${at}`,
      (url, path) => ({
        type: 's3',
        endpoint: new URL(url).origin,
        bucket: 'tides',
        key: path.slice('/tides/'.length),
        accessKeyId: 'a',
        secretAccessKey: 'b',
      }),
    )
    overHttp(
      'arweave',
      (at) => `/${`${at}`.padEnd(43, 'a')}`,
      (_url, path) => ({ type: 'arweave', transactionId: path.slice(1) }),
    )
    overHttp(
      'graphql',
      (at) => `/graphql-${at}`,
      (url) => ({ type: 'graphql', url, query: '{ tide }' }),
    )
    overIpfs()
    await overSql()
    await overFtp()
    overContracts()
    const metricsPort = await freePort()
    metrics = `http://127.0.0.1:${metricsPort}`
    const gateway = `http://127.0.0.1:${http.port}`
    slow = await SlowNode.before(world.network.rpcUrl)
    instance = await startInstance(
      world.beside({
        NETWORK_URL: JSON.stringify({ [world.network.chainId]: slow.url }),
        STATE_DIR: folder,
        METRICS_PORT: `${metricsPort}`,
        TEST_NAME_SERVER: names.address,
        IPFS_GATEWAY: gateway,
        ARWEAVE_GATEWAY: gateway,
        STORAGE_CONNECT_TIMEOUT: PATIENT,
        STORAGE_RESPONSE_TIMEOUT: PATIENT,
        STORAGE_STALL_TIMEOUT: PATIENT,
        SQL_TIMEOUT: PATIENT,
        RPC_TIMEOUT: '60000',
      }),
      ['--import', PRELOAD, ...program()],
    )
    buyer = await world.somebody()
    asset = await world.publish({ files: cases.map(({ file }) => file) })
    txId = await world.order(asset, buyer)
    const { blockNumber } = await world.provider.getTransactionReceipt(txId)
    await eventually(async () => (await metricOf(metrics, 'tidegate_index_block')) >= blockNumber)
  })

  afterAll(async () => {
    for (const fake of fakes) await fake.close()
    slow?.close()
    names?.close()
    full?.close()
  })

  /** What the service's own metrics count as open. */
  const counted = async () =>
    (await metricOf(metrics, 'tidegate_upstream_requests_in_flight')) +
    (await metricOf(metrics, 'tidegate_downloads_active')) +
    (await metricOf(metrics, 'tidegate_http_requests_in_flight'))

  async function leaves({ kind, stage, file, open }: Case): Promise<void> {
    asked = names.asked.length
    const fileIndex = `${cases.findIndex((one) => one.file === file)}`
    const url = await downloadUrl(instance.url, asset, txId, buyer, { fileIndex })
    const socket = bareSocket(instance.url)
    let got = ''
    socket.on('data', (chunk: Buffer) => {
      got += chunk.toString('latin1')
    })
    socket.write(getRequest(url))
    const begun = () => (begins(stage, kind) ? /\r\n\r\n./.test(got) : open() > 0)
    await eventually(() => begun() || /^HTTP\/1.1 [^2]/.test(got) || socket.destroyed)
    expect(got.slice(0, 400)).toMatch(begins(stage, kind) ? /^HTTP\/1.1 200/ : /^$/)
    expect(open()).toBeGreaterThan(0)
    expect(await counted()).toBeGreaterThan(0)
    socket.resetAndDestroy()
    const gone = async () => (stage === 'look-up' || open() === 0) && (await counted()) === 0
    await eventually(gone, AT_ONCE)
  }

  it.each(KINDS)('%s: the request to the storage is aborted at once, at every stage (threat 43)', async (kind) => {
    const own = cases.filter((one) => one.kind === kind)
    expect(own.length).toBeGreaterThan(2)
    for (const one of own)
      await leaves(one).catch((error: Error) => {
        throw new Error(`before the ${one.stage} (${own.indexOf(one)}): ${error.message}`)
      })
  })
})
