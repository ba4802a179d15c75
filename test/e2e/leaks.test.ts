import type { IncomingMessage, ServerResponse } from 'node:http'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { DESCRIPTORS } from '../../stress/fuzz/lib/honest.js'
import { SECRET } from '../../stress/fuzz/lib/target.js'
import { startFtp, startS3 } from '../helpers/backends.js'
import { acquire, order } from '../helpers/consume.js'
import type { DevProcess } from '../helpers/dev.js'
import type { ProviderFees } from '../helpers/ocean.js'
import { startPostgres } from '../helpers/postgres-database.js'
import { publish } from '../helpers/publish.js'
import { type Answer, ask, downloadParams, served } from '../helpers/requests.js'
import { startAlone } from '../helpers/service-alone.js'
import { StorageServer } from '../helpers/storage-server.js'

const MARKER = 'm4rk3r'

/** Puts markers in every field of descriptors; none may leak, even at the most verbose log level. */
describe('answers and logs about failing storages reveal no secret (threats 15 and 16)', () => {
  let dev: DevProcess
  let storage: StorageServer
  let log = ''
  const said: string[] = []
  let provider: ethers.providers.JsonRpcProvider

  beforeAll(async () => {
    storage = await StorageServer.start()
    const settings = {
      STORAGE_STALL_TIMEOUT: '500',
      STORAGE_RESPONSE_TIMEOUT: '500',
      IPFS_GATEWAY: `${storage.origin}/${MARKER}`,
      ARWEAVE_GATEWAY: `${storage.origin}/${MARKER}`,
    }
    dev = await startAlone(settings, 'trace', (line) => {
      log += `${line}\n`
    })
    provider = new ethers.providers.JsonRpcProvider(dev.facts.rpcUrl)
    provider.pollingInterval = 50
  })

  /** Sends every request that there is about a file, and records the answers. */
  async function askAll(file: object): Promise<number[]> {
    const [publisher, buyer] = [provider.getSigner(1), provider.getSigner(2)]
    const asset = await publish({ network: dev.facts, publisher, files: [file] })
    const base = `${dev.facts.providerUrl}/api/services`
    await served(dev.facts.providerUrl, asset)
    const consumerAddress = await buyer.getAddress()
    const service = { documentId: asset.did, serviceId: 'tide-access', consumerAddress }
    const quoted = await ask(`${base}/initialize?${new URLSearchParams(service)}`)
    await acquire(dev.facts, asset, buyer)
    const txId = await order(dev.facts, asset, buyer, quoted.json.providerFee as ProviderFees)
    const json = (body: object) => ({
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    const download = async (headers: Record<string, string> = {}) =>
      readAll(`${base}/download?${await downloadParams(asset, txId, buyer)}`, headers)
    const answers = [
      quoted,
      await ask(`${base}/initialize?${new URLSearchParams({ ...service, fileIndex: '0' })}`),
      await ask(`${base}/fileinfo`, json({ did: asset.did, serviceId: 'tide-access', checksum: true })),
      await download(),
      await download({ range: 'bytes=1-2' }),
      await ask(`${dev.facts.providerUrl}/api/aquarius/assets/ddo/${asset.did}`),
      // errors in a descriptor of the request name the field alone
      await ask(
        `${base}/fileinfo`,
        json({ ...file, method: MARKER, url: `nonsense ${MARKER}`, hash: MARKER, bucket: `/${MARKER}`, query: 5 }),
      ),
    ]
    for (const { status, headers, text } of answers) said.push(`${status} ${JSON.stringify([...headers])} ${text}`)
    return answers.map(({ status }) => status)
  }

  async function readAll(
    url: string,
    headers: Record<string, string>,
  ): Promise<Pick<Answer, 'status' | 'headers' | 'text'>> {
    const response = await fetch(url, { headers })
    const text = await response.text().catch((error: Error) => `broken: ${error.message}`)
    return { status: response.status, headers: response.headers, text }
  }

  const answer = (write: (request: IncomingMessage, response: ServerResponse) => void) => write
  const faults = {
    whole: answer((_, r) => r.writeHead(200, { 'content-length': 4 }).end('tide')),
    missing: answer((request, r) => r.writeHead(404).end(request.url)),
    failing: answer((request, r) => r.writeHead(500, request.url).end(request.url)),
    elsewhere: answer((_, r) => r.writeHead(302, { location: `http://${MARKER}.invalid/${MARKER}` }).end()),
    resetting: answer((request) => request.socket.resetAndDestroy()),
    silent: answer(() => undefined),
    cut: answer((_, r) => r.writeHead(200, { 'content-length': 100, etag: '"1"' }).write('tide', () => r.destroy())),
    talkative: answer((request, r) =>
      r
        .writeHead(200, {
          'content-length': 4,
          location: `${request.url}`,
          link: `<${request.url}>`,
          'set-cookie': `${MARKER}=1`,
          'content-location': `${request.url}`,
          server: MARKER,
          'x-amz-request-id': MARKER,
          'content-disposition': `attachment; filename="/${MARKER}/tides.csv"`,
        })
        .end('tide'),
    ),
  }

  it.each(Object.keys(faults) as (keyof typeof faults)[])('url: when the storage is %s', async (name) => {
    const path = storage.on(`/${MARKER}/${name}/${MARKER}`, faults[name])
    const headers = { Authorization: `Bearer ${MARKER}`, 'X-Key': MARKER }
    await askAll({ type: 'url', url: `${path}?key=${MARKER}`, method: 'GET', headers })
  })

  // of a hosted file, only its publisher learns anything
  const elsewhere = DESCRIPTORS.filter(({ type }) => type !== 'hosted')
  it.each(elsewhere)('$type: when the host is unreachable', async (descriptor) => {
    const text = JSON.stringify(descriptor).replaceAll(SECRET, MARKER)
    const file = JSON.parse(text.replaceAll(/\b\w+\.example\b/g, `${MARKER}.invalid`))
    const isRefusedBefore = file.parameters !== undefined || file.abi !== undefined
    // without the userdata that they need, a query and a contract are refused before they are sent
    expect(await askAll(file)).toContain(isRefusedBefore ? 400 : 502)
  })

  it('s3, ftp and sql: when the server refuses access', async () => {
    const backends = await Promise.all([
      startS3('tides', 'a', Buffer.from('a')),
      startFtp('a', Buffer.from('a')),
      startPostgres('SELECT 1'),
    ])
    const [s3, ftp, sql] = backends
    const refused = [
      {
        type: 's3',
        endpoint: `http://127.0.0.1:${s3.port}`,
        bucket: 'tides',
        key: MARKER,
        accessKeyId: MARKER,
        secretAccessKey: MARKER,
      },
      { type: 'ftp', url: `ftp://${MARKER}:${MARKER}@127.0.0.1:${ftp.port}/${MARKER}` },
      { type: 'sql', url: `postgres://${MARKER}:${MARKER}@127.0.0.1:${sql.port}/${MARKER}`, query: `SELECT ${MARKER}` },
      { type: 'sql', url: `postgres://postgres:secret@127.0.0.1:${sql.port}/postgres`, query: `SELECT ${MARKER}` },
    ]
    for (const file of refused) expect(await askAll(file)).toContain(502)
    await Promise.all(backends.map(({ close }) => close()))
  })

  it('across a hundred answers and the log', () => {
    expect(said.length).toBeGreaterThan(100)
    expect(log).toContain('"route":"/api/services/download"')
    for (const text of [...said, ...log.split('\n')]) expect(text.toLowerCase()).not.toContain(MARKER)
    const keys = [...dev.facts.accounts.map(({ privateKey }) => privateKey.slice(2)), '127.0.0.1:1']
    for (const key of keys) expect(log + said.join()).not.toContain(key)
  })
})
