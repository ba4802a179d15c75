import { createHash } from 'node:crypto'
import { ethers, type Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { mined } from '../../../../test/helpers/consume.js'
import { DICTIONARIES, lzmaOf, withLzmaHeader, xzOf } from '../../../../test/helpers/containers.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { HELD, heldBy } from '../../../../test/helpers/measured.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { type Answer, ask, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import vectors from '../../../../test/vectors/lzma.json' with { type: 'json' }
import { decompress } from '../../../protocol/src/ddo/on-chain/lzma.js'
import { type App, createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

const TOO_MANY = 'holds more than 50000 values'

/** Documents that a stranger has published on the chain like any other. */
describe('hostile documents', () => {
  let world: World
  let app: App
  let base: string
  let stranger: Wallet
  let services: Record<'xz' | 'lzma', { data: Buffer; text: Buffer }>
  const folder = newFolder()

  beforeAll(async () => {
    world = await World.start()
    stranger = await world.somebody()
    const of = async (form: 'xz' | 'lzma') => {
      const data = Buffer.from(vectors.services[form], 'hex')
      return { data, text: Buffer.from(await decompress(data, 1_048_576)) }
    }
    services = { xz: await of('xz'), lzma: await of('lzma') }
    await start()
  })
  afterAll(() => app.close())

  /** Starts a service in this process, on a state that outlives it. */
  async function start(): Promise<void> {
    app = await createApp(loadSettings(world.beside({ STATE_DIR: folder, MAX_DDO_INFLATION: '1000000' })))
    base = await app.listen()
  }

  const own = (): Promise<Published> =>
    world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')), { publisher: stranger })

  /** Publishes bytes as the document of an NFT. Returns the transaction. */
  function publish(nft: string, flags: string, data: Uint8Array, text: Uint8Array): Promise<string> {
    const hash = `0x${createHash('sha256').update(text).digest('hex')}`
    const contract = new ocean.Nft(stranger, world.network.chainId)
    return mined(contract.setMetadata(nft, stranger.address, 0, '', '', flags, ethers.utils.hexlify(data), hash))
  }
  const recorded = async (did: string) => (await app.context.store.index.asset(did))?.metadata
  const indexed = async (txId: string) => {
    const { blockNumber } = await world.provider.getTransactionReceipt(txId)
    const { index } = app.context.store
    await eventually(async () => ((await index.cursor(world.network.chainId))?.block ?? -1) >= blockNumber, 60_000)
  }

  async function decrypt(nft: string, transactionId: string): Promise<Answer> {
    const nonce = freshNonce()
    const signature = await signText(stranger, `${transactionId}${stranger.address}8996${nonce}`)
    const body = {
      decrypterAddress: stranger.address,
      chainId: 8996,
      dataNftAddress: nft,
      transactionId,
      nonce,
      signature,
    }
    const headers = { 'content-type': 'application/json' }
    return ask(`${base}/api/services/decrypt`, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  const validate = (body: Uint8Array | string) =>
    ask(`${base}/api/aquarius/assets/ddo/validate`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: body as never,
    })

  it.each([
    'xz',
    'lzma',
  ] as const)('349,000 empty services in .%s hold nobody up, and the next asset is served (threat 37)', async (form) => {
    const [hostile, honest] = [await own(), await own()]
    const { data, text } = services[form]
    expect(data.length).toBeLessThan(400)
    const before = process.memoryUsage().rss
    const delay = await heldBy(async () => {
      await publish(hostile.nft, '0x01', data, text)
      await indexed(await publish(honest.nft, '0x01', lzmaOf(changed(honest)), changed(honest)))
    })
    expect(await recorded(hostile.did)).toMatchObject({ ddo: null, reason: TOO_MANY })
    expect((await ask(`${base}/api/aquarius/assets/ddo/${honest.did}`)).json).toMatchObject({
      metadata: { name: 'Ebb' },
    })
    expect(delay).toBeLessThan(HELD)
    expect(process.memoryUsage().rss - before).toBeLessThan(400e6)
  })

  const changed = ({ ddo }: Published) =>
    Buffer.from(JSON.stringify({ ...ddo, metadata: { ...ddo.metadata, name: 'Ebb' } }))

  it('an unreadable document is not read again after a restart (threat 37)', async () => {
    const { chainId } = world.network
    await app.close()
    await start()
    const head = await world.provider.getBlockNumber()
    await eventually(() => app.context.services.catalog.progress()[0]?.lag === 0)
    expect((await app.context.store.index.cursor(chainId))?.block).toBeGreaterThanOrEqual(head)
    // documents are read by threads alone, so nothing was read
    expect(app.context.sandbox.threads).toBe(0)
  })

  it('decrypt and validate report what is wrong with a document, and block no other request (threat 37)', async () => {
    const { nft } = await own()
    const txId = await publish(nft, '0x01', services.lzma.data, services.lzma.text)
    const delay = await heldBy(async () => {
      expect(await decrypt(nft, txId)).toMatchObject({
        status: 400,
        json: { code: 'DOCUMENT_UNREADABLE', error: `The document cannot be given: ${TOO_MANY}.` },
      })
      expect(await validate(services.lzma.text)).toMatchObject({
        status: 400,
        json: { errors: { body: [`The body ${TOO_MANY}.`] }, message: 'Validation error', success: false },
      })
    })
    expect(delay).toBeLessThan(HELD)
  })

  it('an .lzma header that asks for a dictionary of 4 GiB gets only the memory that it needs (threat 38)', async () => {
    const asset = await own()
    const text = changed(asset)
    const data = withLzmaHeader(lzmaOf(text), { dictionary: 0xffffffff })
    const before = process.memoryUsage().rss
    await indexed(await publish(asset.nft, '0x01', data, text))
    expect(await recorded(asset.did)).toMatchObject({ ddo: text.toString(), reason: null })
    expect(process.memoryUsage().rss - before).toBeLessThan(200e6)
  })

  it('compression bombs, huge dictionaries and truncated containers are recorded; valid .xz and .lzma are read (threat 38)', async () => {
    const [bad, good] = [await own(), await own()]
    const text = changed(good)
    const cases: [Uint8Array, string][] = [
      [Buffer.from(vectors.bombs.xz, 'hex'), 'larger than MAX_DDO_SIZE'],
      [Buffer.from(vectors.bombs.lzma, 'hex'), 'larger than MAX_DDO_SIZE'],
      [withLzmaHeader(lzmaOf(text), { size: 2n ** 62n }), 'larger than MAX_DDO_SIZE'],
      [xzOf(text, DICTIONARIES.largest), 'cannot be decompressed'],
      [xzOf(text, DICTIONARIES.small).subarray(0, 200), 'cannot be decompressed'],
    ]
    for (const [data, reason] of cases) {
      await indexed(await publish(bad.nft, '0x01', data, text))
      expect(await recorded(bad.did)).toMatchObject({ ddo: null, reason })
    }
    for (const data of [xzOf(text, DICTIONARIES.small), xzOf(text, DICTIONARIES.preset9), lzmaOf(text)]) {
      const txId = await publish(good.nft, '0x01', data, text)
      await indexed(txId)
      expect(await recorded(good.did)).toMatchObject({ txId, ddo: text.toString(), reason: null })
    }
  })

  it('bodies of other shapes are refused at once, with at most ten problems (threats 37 and 48)', async () => {
    const asset = await own()
    const ddo = (more: object) => JSON.stringify({ ...asset.ddo, ...more })
    const service = asset.ddo.services[0]
    const list = (length: number, element: unknown) => Array.from({ length }, () => element)
    const delay = await heldBy(async () => {
      const problems: [string, string][] = [
        ['['.repeat(10e6), 'body'],
        [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 'body'],
        [ddo({ metadata: { description: 'x'.repeat(1_100_000) } }), 'body'],
        [ddo({ services: list(101, service) }), 'services'],
        [ddo({ services: list(40_000, 1) }), 'services'],
        [ddo({ '@context': list(40_000, 1) }), '@context'],
        [ddo({ credentials: { allow: list(101, { type: 'address' }) } }), 'credentials'],
        [ddo({ credentials: { allow: [{ type: 'address', values: list(10_001, '0x') }] } }), 'credentials'],
        [ddo({ services: [{ ...service, consumerParameters: list(101, 1) }] }), 'services.0.consumerParameters'],
        [ddo({ services: [{ ...service, id: 'x'.repeat(513) }] }), 'services.0.id'],
        [ddo({ services: [{ ...service, files: 'x'.repeat(524_289) }] }), 'services.0.files'],
        [ddo({ services: [{ ...service, serviceEndpoint: 'x'.repeat(2049) }] }), 'services.0.serviceEndpoint'],
      ]
      for (const [body, field] of problems) {
        const { status, json } = await validate(body)
        expect(status, field).toBe(400)
        expect(Object.keys(json.errors as object), field).toEqual([field])
      }
      const many = await validate(ddo({ services: list(100, {}) }))
      expect(many.status).toBe(400)
      expect(Object.keys(many.json.errors as object)).toHaveLength(10)
    })
    expect(delay).toBeLessThan(HELD)
    // control: an honest document, and one of the maximum size
    const { metadata } = asset.ddo
    const long = { ...metadata, description: 'x'.repeat(900_000) }
    const listed = { allow: [{ type: 'address', values: list(10_000, asset.nft) }], deny: [] }
    for (const body of [ddo({}), ddo({ metadata: long }), ddo({ credentials: listed })])
      expect((await validate(body)).status).toBe(200)
  })
})
