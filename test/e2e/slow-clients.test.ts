import { createHash, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { ethers } from 'ethers'
import { expect, it } from 'vitest'
import { acquire, order, quote } from '../../demo/consume.js'
import { spawnDev } from '../../demo/local-dev.js'
import { publish } from '../../demo/publish.js'
import { eventually } from '../helpers/eventually.js'
import { ask, freshNonce, signText } from '../helpers/requests.js'
import { StorageServer } from '../helpers/storage-server.js'

const CLIENTS = 2000
const MIB = 1024 * 1024
/** More than what the sockets on the way hold, so that a reader who stops holds the transfer up. */
const CONTENT = randomBytes(8 * MIB)

/** A service in a process of its own with one ordered asset, and how to begin downloads of it. */
async function ready() {
  const storage = await StorageServer.start()
  const dev = await spawnDev([], { STORAGE_MAX_PER_HOST: '4096', STOP_TIMEOUT: '120000' })
  const { facts } = dev
  const provider = new ethers.providers.JsonRpcProvider(facts.rpcUrl)
  const [publisher, buyer] = [provider.getSigner(1), provider.getSigner(2)]
  const path = storage.on('/slow.bin', (request, response) => {
    const size = Number(new URL(request.url as string, storage.origin).searchParams.get('size'))
    response.writeHead(200, { 'content-length': size }).end(CONTENT.subarray(0, size))
  })
  const asset = await publish({ network: facts, publisher, files: [{ type: 'url', url: path, method: 'GET' }] })
  await eventually(async () => (await ask(`${facts.providerUrl}/api/aquarius/assets/ddo/${asset.did}`)).status === 200)
  const address = await buyer.getAddress()
  const fee = await quote(facts, asset, address).catch(() => undefined)
  await acquire(facts, asset, buyer)
  const transferTxId = await order(facts, asset, buyer, fee as NonNullable<typeof fee>)
  const nonce = freshNonce()
  const signature = await signText(buyer, address + nonce)
  const expiration = `${Math.floor(Date.now() / 1000) + 3600}`
  const query = new URLSearchParams({ address, nonce, signature, expiration })
  const { json } = await ask(`${facts.providerUrl}/api/services/createAuthToken?${query}`)
  const service = { documentId: asset.did, serviceId: 'tide-access', fileIndex: '0' }
  /** Begins a download and reads nothing of it. */
  const open = (size: number) => {
    const userdata = JSON.stringify({ size })
    const params = new URLSearchParams({ ...service, transferTxId, consumerAddress: address, userdata })
    const url = `${facts.providerUrl}/api/services/download?${params}`
    return new Promise<IncomingMessage>((resolve, reject) => {
      const sent: ClientRequest = request(url, { agent: false, headers: { AuthToken: json.token as string } })
      sent.on('response', (response) => resolve(response.pause())).on('error', reject)
      sent.end()
    })
  }
  const memory = () => (Number(readFileSync(`/proc/${dev.process.pid}/statm`, 'utf8').split(' ')[1]) * 4096) / MIB
  return { dev, storage, open, memory, base: facts.providerUrl }
}

async function hashOf(response: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of response) hash.update(chunk)
  return hash.digest('hex')
}
const expected = (size: number) => createHash('sha256').update(CONTENT.subarray(0, size)).digest('hex')

it.runIf(process.platform === 'linux')(
  `threat 25: ${CLIENTS} slow downloads at once in bounded memory; a stop waits for those that end in time`,
  { timeout: 240_000 },
  async () => {
    const { dev, storage, open, memory, base } = await ready()
    try {
      const before = memory()
      const responses: IncomingMessage[] = []
      while (responses.length < CLIENTS)
        responses.push(...(await Promise.all(Array.from({ length: 50 }, () => open(CONTENT.length)))))
      expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
      // what is held for each of them does not depend on the size of the file
      expect(((memory() - before) * 1024) / CLIENTS).toBeLessThan(512)
      expect((await ask(`${base}/live`)).status).toBe(200)

      const stopped = dev.stop()
      await eventually(() =>
        ask(base).then(
          () => false,
          () => true,
        ),
      )
      expect(new Set(await Promise.all(responses.map(hashOf)))).toEqual(new Set([expected(CONTENT.length)]))
      expect(await stopped).toBe(0)
    } finally {
      dev.process.kill('SIGKILL')
      await storage.close()
    }
  },
)

it('a stop cuts no answer whose last bytes are still on the way', async () => {
  const { dev, storage, open } = await ready()
  try {
    // somewhere among these is the size that the sockets on the way hold almost, but not quite
    const sizes = Array.from({ length: 128 }, (_, at) => (at + 1) * (CONTENT.length / 128))
    const responses = await Promise.all(sizes.map(open))
    const stopped = dev.stop()
    await eventually(() =>
      ask(dev.facts.providerUrl).then(
        () => false,
        () => true,
      ),
    )
    expect(await Promise.all(responses.map(hashOf))).toEqual(sizes.map(expected))
    expect(await stopped).toBe(0)
  } finally {
    dev.process.kill('SIGKILL')
    await storage.close()
  }
})
