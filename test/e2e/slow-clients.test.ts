import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect, it } from 'vitest'
import { eventually } from '../helpers/eventually.js'
import { paidAsset } from '../helpers/paid.js'
import { ask } from '../helpers/requests.js'
import { startAlone } from '../helpers/service-alone.js'
import { sized } from '../helpers/sizes.js'
import { StorageServer } from '../helpers/storage-server.js'

/** Each takes 9 MiB of the system's memory for connections, a tenth of all: if that is used up, some are reset. */
const CLIENTS = sized(120, 2000)
/** KiB that one more connection may take, of which fewer tell less exactly; files are larger by far. */
const MOST_EACH = sized(1024, 512)
/** How many of them connect at once. The first of them warm the service up: what it needs but once is not that of a connection. */
const AT_ONCE = 50
/** How many more read to the end, each another size of file, when the service is stopped in the middle. */
const SIZES = sized(32, 128)
const MIB = 1024 * 1024
/** More than the socket buffers hold, so that a reader who stops causes back-pressure. */
const CONTENT = randomBytes(8 * MIB)

/** Milliseconds; never reached, however slow the machine is. */
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
  const dev = await startAlone({ STORAGE_MAX_PER_HOST: '4096', ...PATIENCE })
  const path = storage.on('/slow.bin', (request, response) => {
    const size = Number(new URL(request.url as string, storage.origin).searchParams.get('size'))
    response.writeHead(200, { 'content-length': size }).end(CONTENT.subarray(0, size))
  })
  const { service, token } = await paidAsset(dev, [path])
  /** Starts a download and reads nothing of it. */
  const open = (size: number) => {
    const userdata = JSON.stringify({ size })
    const params = new URLSearchParams({ ...service, fileIndex: '0', userdata })
    const url = `${dev.facts.providerUrl}/api/services/download?${params}`
    return new Promise<IncomingMessage>((resolve, reject) => {
      const sent: ClientRequest = request(url, { agent: false, headers: { AuthToken: token } })
      sent.on('response', (response) => resolve(response.pause())).on('error', reject)
      sent.end()
    })
  }
  const memory = () => (Number(readFileSync(`/proc/${dev.process.pid}/statm`, 'utf8').split(' ')[1]) * 4096) / MIB
  return { dev, storage, open, memory, base: dev.facts.providerUrl }
}

/** Reads to the end. Returns the number of bytes, or where one differs from the file's. */
async function lengthOf(response: AsyncIterable<Buffer>): Promise<number | string> {
  let at = 0
  for await (const chunk of response) {
    if (!CONTENT.subarray(at, at + chunk.length).equals(chunk)) return `another byte after ${at}`
    at += chunk.length
  }
  return at
}

/** Waits until the service accepts no more connections. */
function refusing(base: string): Promise<void> {
  const refused = () =>
    ask(base).then(
      () => false,
      () => true,
    )
  return eventually(refused, PATIENT)
}

/** Memory can be read on Linux alone. */
const onLinux = process.platform === 'linux'

it(`${CLIENTS} concurrent slow downloads need bounded memory, and a stop waits for those that finish, and truncates none whose last bytes are still buffered (threat 25)`, {
  timeout: PATIENT,
}, async () => {
  const { dev, storage, open, memory, base } = await ready()
  try {
    const some = () => Promise.all(Array.from({ length: AT_ONCE }, () => open(CONTENT.length)))
    // by the time a whole file has passed, the service has filled its buffers for all the others
    const filled = async () => expect(await lengthOf(await open(CONTENT.length))).toBe(CONTENT.length)
    const responses: IncomingMessage[] = await some()
    await filled()
    const before = onLinux ? memory() : 0
    while (responses.length < CLIENTS) responses.push(...(await some()))
    expect(new Set(responses.map(({ statusCode }) => statusCode))).toEqual(new Set([200]))
    await filled()
    // the memory per connection does not depend on the size of the file
    if (onLinux) expect(((memory() - before) * 1024) / (CLIENTS - AT_ONCE)).toBeLessThan(MOST_EACH)
    expect((await ask(`${base}/live`)).status).toBe(200)

    // one of these sizes only just exceeds what the socket buffers hold
    const sizes = Array.from({ length: SIZES }, (_, at) => (at + 1) * (CONTENT.length / SIZES))
    const reading = await Promise.all(sizes.map(open))
    const stopped = dev.stop()
    await refusing(base)
    // all are in flight when the stop begins: the slow ones disconnect now, the others receive every byte
    for (const response of responses) response.destroy()
    expect(await Promise.all(reading.map(lengthOf))).toEqual(sizes)
    expect(await stopped).toBe(0)
  } finally {
    dev.process.kill('SIGKILL')
    await storage.close()
  }
})
