import { randomBytes } from 'node:crypto'
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
/** Those of them that read to the end; reading is the work of this test, and the others only have to be there. */
const READERS = 100
const MIB = 1024 * 1024
/** More than what the sockets on the way hold, so that a reader who stops holds the transfer up. */
const CONTENT = randomBytes(8 * MIB)

/** Milliseconds. No time-out decides here: how long anything takes is a matter of the machine. */
const PATIENT = 1_200_000
const PATIENCE = {
  STOP_TIMEOUT: `${PATIENT}`,
  CONSUMER_STALL_TIMEOUT: `${PATIENT}`,
  STORAGE_STALL_TIMEOUT: '600000',
  STORAGE_RESPONSE_TIMEOUT: '600000',
  STORAGE_CONNECT_TIMEOUT: '600000',
}

/** A service in a process of its own with one ordered asset, and how to begin downloads of it. */
async function ready() {
  const storage = await StorageServer.start()
  const dev = await spawnDev([], { STORAGE_MAX_PER_HOST: '4096', ...PATIENCE })
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

/** Reads to the end. Answers how many bytes came, or where one differs from the file's. */
async function lengthOf(response: AsyncIterable<Buffer>): Promise<number | string> {
  let at = 0
  for await (const chunk of response) {
    if (!CONTENT.subarray(at, at + chunk.length).equals(chunk)) return `another byte after ${at}`
    at += chunk.length
  }
  return at
}

/** Waits until the service takes no more connections. */
function refusing(base: string): Promise<void> {
  const refused = () =>
    ask(base).then(
      () => false,
      () => true,
    )
  return eventually(refused, PATIENT)
}

it.runIf(process.platform === 'linux')(
  `threat 25: ${CLIENTS} slow downloads at once in bounded memory; a stop waits for those that end`,
  { timeout: PATIENT },
  async () => {
    const { dev, storage, open, memory, base } = await ready()
    try {
      const before = memory()
      const responses: IncomingMessage[] = []
      while (responses.length < CLIENTS)
        responses.push(...(await Promise.all(Array.from({ length: 50 }, () => open(CONTENT.length)))))
      expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
      // while a whole file passes, the service comes by every socket often enough to have taken in all of the others
      expect(await lengthOf(await open(CONTENT.length))).toBe(CONTENT.length)
      // what is held for each of them does not depend on the size of the file
      expect(((memory() - before) * 1024) / CLIENTS).toBeLessThan(512)
      expect((await ask(`${base}/live`)).status).toBe(200)

      const stopped = dev.stop()
      await refusing(base)
      // all are under way when the stop begins: most leave now, the others get every byte
      for (const response of responses.splice(READERS)) response.destroy()
      expect(new Set(await Promise.all(responses.map(lengthOf)))).toEqual(new Set([CONTENT.length]))
      expect(await stopped).toBe(0)
    } finally {
      dev.process.kill('SIGKILL')
      await storage.close()
    }
  },
)

it('a stop cuts no answer whose last bytes are still on the way', { timeout: PATIENT }, async () => {
  const { dev, storage, open, base } = await ready()
  try {
    // somewhere among these is the size that the sockets on the way hold almost, but not quite
    const sizes = Array.from({ length: 128 }, (_, at) => (at + 1) * (CONTENT.length / 128))
    const responses = await Promise.all(sizes.map(open))
    const stopped = dev.stop()
    await refusing(base)
    expect(await Promise.all(responses.map(lengthOf))).toEqual(sizes)
    expect(await stopped).toBe(0)
  } finally {
    dev.process.kill('SIGKILL')
    await storage.close()
  }
})
