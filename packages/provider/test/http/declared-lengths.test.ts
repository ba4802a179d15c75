import { once } from 'node:events'
import { Readable } from 'node:stream'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { bareSocket, firstAnswer, getRequest, saidTo } from '../../../../test/helpers/raw-consumer.js'
import { downloadUrl } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { BufferedBody } from '../../../storage/src/egress/exchange.js'
import type { OpenedFile, StoredFile } from '../../../storage/src/storage.js'

const CONTENT = Buffer.alloc(1000, 'x')
/** A response that a malicious storage appends to the file, for response splitting. */
const FORGED = Buffer.from('HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nforged')

/** A service whose storage modules return bodies that do not match their headers. */
describe('a storage module whose body is not as long as its headers declare', () => {
  let world: World
  let asset: Published
  let download: () => Promise<string>
  /** Replaces an opened file. */
  let lie: (opened: OpenedFile) => OpenedFile = (opened) => opened

  beforeAll(async () => {
    world = await World.start({ RATE_LIMIT_BYTES: '1000000000' })
    const { storages } = world.local.app.context.services.files
    const file = storages.file.bind(storages)
    storages.file = (object): StoredFile => {
      const found = file(object)
      return { ...found, open: async (request) => lie(await found.open(request)) }
    }
    asset = await world.publishUrl(world.storage.file('/a.csv', CONTENT))
    const buyer = await world.somebody()
    const txId = await world.order(asset, buyer)
    download = async () => await downloadUrl(world.network.providerUrl, asset, txId, buyer)
  })

  /** The number of ended transfers by outcome. */
  async function ended(): Promise<Record<string, number>> {
    const { values } = await world.local.app.context.metrics.downloads.get()
    return Object.fromEntries(values.map(({ labels, value }) => [labels.outcome, value]))
  }

  /** What a consumer reads who pipelines another request after the one for a file. */
  async function read(change: typeof lie): Promise<{ said: string; outcome: string[] }> {
    lie = change
    const before = await ended()
    const next = getRequest(`${world.network.providerUrl}/live`, 'connection: close\r\n')
    const said = await saidTo(world.network.providerUrl, getRequest(await download()) + next)
    const outcome = async () =>
      Object.entries(await ended()).flatMap(([name, value]) => (value > (before[name] ?? 0) ? [name] : []))
    await eventually(async () => (await outcome()).length > 0)
    return { said, outcome: await outcome() }
  }

  const streamed = (...parts: Buffer[]) => Readable.from(parts)
  const withBody = (body: () => Readable) => (opened: OpenedFile) => {
    opened.body.destroy()
    return { ...opened, body: body() }
  }

  it.each<[string, () => Readable]>([
    ['in pieces', () => streamed(CONTENT.subarray(0, 10), CONTENT.subarray(10))],
    ['in one piece', () => streamed(CONTENT)],
    ['at once', () => new BufferedBody(CONTENT)],
  ])('control: one of the declared length, %s, is delivered, and the connection stays usable (threat 69)', async (_, body) => {
    const { said, outcome } = await read(withBody(body))
    const { head, body: file, behind } = firstAnswer(said)
    expect(head).toMatch(/^HTTP\/1\.1 200 /)
    expect(file).toBe(CONTENT.toString())
    expect(behind).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n\{"live":true\}$/)
    expect(outcome).toEqual(['complete'])
  })

  it.each<[string, () => Readable]>([
    ['longer, with a response after the last byte', () => streamed(CONTENT, FORGED)],
    ['longer, within the last piece', () => streamed(CONTENT.subarray(0, 900), Buffer.concat([CONTENT, FORGED]))],
    ['longer, in one piece', () => streamed(Buffer.concat([CONTENT, FORGED]))],
    ['longer, without end', () => Readable.from(endless())],
    ['longer, at once', () => new BufferedBody(Buffer.concat([CONTENT, FORGED]))],
    ['shorter', () => streamed(CONTENT.subarray(0, 900))],
    ['shorter, at once', () => new BufferedBody(CONTENT.subarray(0, 900))],
    ['empty', () => streamed()],
    ['destroyed without a word', () => streamed(CONTENT.subarray(0, 900), CONTENT).once('data', destroyed)],
  ])('one that is %s is aborted as broken, and nothing follows the file (threat 69)', async (_, body) => {
    const { said, outcome } = await read(withBody(body))
    const { declared, body: file, behind } = firstAnswer(said)
    // the headers may have been lost with the connection
    if (said !== '') expect(declared).toBe(CONTENT.length)
    expect(file).toBe(CONTENT.toString().slice(0, file.length))
    expect(behind).toBe('')
    expect(outcome).toEqual(['broken'])
  })

  it('control: one without a declared length is delivered in full (threat 69)', async () => {
    const { said, outcome } = await read((opened) => ({
      ...withBody(() => streamed(CONTENT, CONTENT))(opened),
      headers: { 'content-type': 'text/csv' },
    }))
    expect(said).toMatch(/transfer-encoding: chunked\r\n/i)
    expect(said.split('\r\n').filter((line) => line === CONTENT.toString())).toHaveLength(2)
    expect(outcome).toEqual(['complete'])
  })

  it('a download that the consumer resets before the last byte was sent does not count as complete (threat 71)', async () => {
    const large = Buffer.alloc(16_777_216)
    lie = (opened) => ({
      ...withBody(() => new BufferedBody(large))(opened),
      headers: { 'content-length': String(large.length) },
    })
    const before = await ended()
    const socket = bareSocket(world.network.providerUrl)
    socket.write(getRequest(await download()))
    await once(socket, 'readable')
    socket.resetAndDestroy()
    await eventually(async () => JSON.stringify(await ended()) !== JSON.stringify(before))
    expect(await ended()).toEqual({ ...before, broken: (before.broken ?? 0) + 1 })
  })
})

function* endless(): Generator<Buffer> {
  for (;;) yield CONTENT
}

function destroyed(this: Readable): void {
  this.destroy()
}
