import { ethers, type Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { mined } from '../../../../test/helpers/consume.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadParams } from '../../../../test/helpers/requests.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'
import { encrypt } from '../../../protocol/src/crypto/ecies.js'
import { providerKey } from '../../../protocol/src/crypto/keys.js'
import { type App, createApp } from '../../src/app.js'
import { loadSettings } from '../../src/config/load.js'

type Json = Record<string, unknown>

/**
 * A service with an empty index, which relies on a metadata cache. The cache is another service's index; a proxy in
 * front of it can falsify its answers.
 */
describe('metadata caches', () => {
  let world: World
  let door: StorageServer
  let app: App
  let base: string
  let publisher: Wallet
  let honest: Published
  let foreign: Published
  let lie: (document: Json) => unknown = (document) => document
  const folder = newFolder()

  beforeAll(async () => {
    world = await World.start()
    door = await StorageServer.start()
    publisher = await world.somebody()
    const url = world.storage.file('/a.csv', Buffer.from('tide'))
    const adjust = (ddo: Published['ddo']) =>
      Object.assign(ddo, { credentials: { allow: [{ type: 'address', values: [publisher.address] }], deny: [] } })
    honest = await world.publishUrl(url, { publisher, timeout: 3600, adjust })
    foreign = await world.publishUrl(url)
    for (const { did } of [honest, foreign]) serve(did)
    app = await createApp(
      loadSettings(
        world.beside({
          AQUARIUS_URL: `http://127.0.0.1:1, ${door.origin}/`,
          INDEX_START_BLOCK: '1000000000',
          // documents of a cache are kept for as long
          INDEX_POLL_INTERVAL: '50',
          STATE_DIR: folder,
        }),
      ),
    )
    base = await app.listen()
  })
  afterAll(() => app.close())

  function serve(did: string): void {
    const path = `/api/aquarius/assets/ddo/${did}`
    door.on(path, async (_request, response) => {
      const { json } = await ask(`${world.network.providerUrl}${path}`)
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(lie(json as Json)))
    })
  }

  /** The asset as the service resolves it; undefined if it does not. */
  async function believed(did = honest.did) {
    // wait until the cached answer has expired
    await new Promise((resolve) => setTimeout(resolve, 60))
    return app.context.services.access.assets.resolve(did).then(
      ({ chain: _chain, ...asset }) => asset,
      () => undefined,
    )
  }
  const truth = async (did = honest.did) => {
    // the index alone knows when a document was published
    const {
      chain: _chain,
      published: _published,
      ...asset
    } = await world.local.app.context.services.access.assets.resolve(did)
    return asset
  }

  it('supply documents that the index does not have, verified against the chain', async () => {
    lie = (document) => document
    expect(await believed()).toEqual(await truth())
    const txId = await world.order(foreign, publisher)
    const params = await downloadParams(foreign, txId, publisher)
    expect((await ask(`${base}/api/services/download?${params}`)).text).toBe('tide')
  })

  const other = `0x${'12'.repeat(20)}`
  it.each<[string, (document: Json) => unknown]>([
    ['another id', (d) => ({ ...d, id: foreign.did })],
    ['another chain', (d) => ({ ...d, chainId: 1 })],
    ['another NFT', (d) => ({ ...d, nftAddress: foreign.nft })],
    [
      'an NFT that no factory deployed',
      (d) => ({ ...d, nftAddress: other, nft: { ...(d.nft as object), address: other } }),
    ],
    ['two NFTs at once', (d) => ({ ...d, nft: { ...(d.nft as object), address: foreign.nft } })],
    ['another transaction', (d) => ({ ...d, event: { tx: foreign.txId } })],
    ['no transaction', (d) => ({ ...d, event: {} })],
    ['a transaction that is not there', (d) => ({ ...d, event: { tx: `0x${'ab'.repeat(32)}` } })],
    [
      'another datatoken',
      (d) => ({ ...d, services: [{ ...(d.services as object[])[0], datatokenAddress: foreign.datatoken }] }),
    ],
    ['access for ever', (d) => ({ ...d, services: [{ ...(d.services as object[])[0], timeout: 0 }] })],
    ['the files of another asset', (d) => ({ ...d, services: foreign.ddo.services })],
    ['no credentials', (d) => ({ ...d, credentials: null })],
    ['another state', (d) => ({ ...d, nft: { ...(d.nft as object), state: 3 } })],
    ['the document of another asset', () => ({ ...foreign.ddo })],
    ['nonsense', () => 'nonsense'],
    ['null', () => null],
    ['a list', () => []],
  ])('are not believed for %s (threat 21)', async (_name, told) => {
    lie = told
    const found = await believed()
    if (found) expect(found).toEqual(await truth())
    lie = (document) => document
    expect(await believed()).toEqual(await truth())
  })

  it('are not believed with an outdated document (threat 21)', async () => {
    const old = (await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${foreign.did}`)).json as Json
    const owner = await world.somebody()
    const asset = await world.publishUrl(world.storage.file('/b.csv', Buffer.from('b')), { publisher: owner })
    serve(asset.did)
    const before = (await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${asset.did}`)).json as Json
    const { chainId, providerUrl } = world.network
    const nft = new ocean.Nft(owner, chainId)
    const ddo = { ...asset.ddo, services: asset.ddo.services.map((service) => ({ ...service, timeout: 77 })) }
    const encrypted = await ocean.ProviderInstance.encrypt(ddo, chainId, providerUrl)
    const hash = `0x${ocean.getHash(JSON.stringify(ddo))}`
    await world.indexed(await mined(nft.setMetadata(asset.nft, owner.address, 0, '', '', '0x02', encrypted, hash)))
    lie = () => before
    expect((await believed(asset.did))?.ddo.services[0]?.timeout).toBe(77)
    await world.indexed(await mined(nft.setMetadataState(asset.nft, owner.address, 3)))
    expect((await believed(asset.did))?.state).toBe(3)
    lie = () => old
    expect(await believed(asset.did)).toBeUndefined()
  })

  it('are believed for an encrypted document with the published hash, in either notation', async () => {
    const stranger = providerKey(`0x${'77'.repeat(32)}`)
    const owner = await world.somebody()
    const asset = await world.publishUrl(world.storage.file('/b.csv', Buffer.from('b')), { publisher: owner })
    serve(asset.did)
    const ddo = { ...asset.ddo, metadata: { ...asset.ddo.metadata, name: 'Höhen 🌊' } }
    const python = JSON.stringify(ddo)
      .replace(/("(?:[^"\\]|\\.)*")|([:,])/g, (_, text, mark) => text ?? `${mark} `)
      .replace(/[\u0080-\uffff]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    expect(JSON.parse(python)).toEqual(ddo)
    for (const text of [JSON.stringify(ddo), python]) {
      const data = `0x${encrypt(stranger.publicKey, Buffer.from(text)).toString('hex')}`
      const nft = new ocean.Nft(owner, world.network.chainId)
      const hash = ethers.utils.sha256(ethers.utils.toUtf8Bytes(text))
      const tx = await mined(nft.setMetadata(asset.nft, owner.address, 0, '', '', '0x02', data, hash))
      await world.indexed(tx)
      const told = { ...ddo, nft: { address: asset.nft }, event: { tx }, stats: {}, purgatory: {}, datatokens: [] }
      lie = () => told
      expect((await believed(asset.did))?.ddo.id).toBe(asset.did)
      lie = () => ({ ...told, services: [{ ...ddo.services[0], timeout: 1 }] })
      expect(await believed(asset.did)).toBeUndefined()
    }
  })
})
