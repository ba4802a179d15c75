import { createHash, randomBytes } from 'node:crypto'
import { ethers, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { mined } from '../../../../test/helpers/consume.js'
import { DICTIONARIES, lzmaOf, xzOf } from '../../../../test/helpers/containers.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'
import vectors from '../../../../test/vectors/lzma.json' with { type: 'json' }

const REASON = 'inflates more than MAX_DDO_INFLATION times'

/** Documents that are short on the chain, and long when they are decompressed. */
describe('documents that inflate', () => {
  let world: World
  let home: Home
  let stranger: Wallet
  beforeAll(async () => {
    world = await World.start()
    home = makeHome()
    stranger = await world.somebody()
  })

  const own = () => world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')), { publisher: stranger })
  const described = ({ ddo }: Published, description: string) =>
    Buffer.from(JSON.stringify({ ...ddo, metadata: { ...ddo.metadata, description } }))
  /** Publishes bytes as the document of an asset. Returns the transaction, which the index has read. */
  async function publish({ nft }: Published, flags: string, data: Uint8Array, text: Uint8Array): Promise<string> {
    const hash = `0x${createHash('sha256').update(text).digest('hex')}`
    const contract = new ocean.Nft(stranger, world.network.chainId)
    const txId = await mined(
      contract.setMetadata(nft, stranger.address, 0, '', '', flags, ethers.utils.hexlify(data), hash),
    )
    await world.indexed(txId)
    return txId
  }
  const assets = (path: string, init?: RequestInit) =>
    ask(`${world.network.providerUrl}/api/aquarius/assets/${path}`, init as never)
  const validate = (body: Uint8Array) =>
    assets('ddo/validate', {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body: body as never,
    })
  async function decrypt(nft: string, transactionId: string) {
    const { providerUrl, chainId } = world.network
    const nonce = freshNonce()
    const signature = await signText(stranger, `${transactionId}${stranger.address}${chainId}${nonce}`)
    const named = { decrypterAddress: stranger.address, chainId, dataNftAddress: nft, transactionId, nonce, signature }
    const headers = { 'content-type': 'application/json' }
    return ask(`${providerUrl}/api/services/decrypt`, { method: 'POST', headers, body: JSON.stringify(named) })
  }

  it('are not usable, with the reason for their owner, and honest ones of any size are (threat 88)', async () => {
    const [bomb, services, honest] = [await own(), await own(), await own()]
    const text = described(bomb, 'x'.repeat(900_000))
    const data = lzmaOf(text)
    expect(text.length / data.length).toBeGreaterThan(500)
    const txId = await publish(bomb, '0x01', data, text)
    await publish(services, '0x01', Buffer.from(vectors.services.xz, 'hex'), Buffer.from('[]'))
    for (const { did } of [bomb, services]) {
      const { status, json } = await assets(`ddo/${did}`)
      expect([status, json.code]).toEqual([404, 'ASSET_NOT_FOUND'])
      expect(json.error).toBe(`Asset DID ${did} not found in Elasticsearch. Its document is not usable: ${REASON}.`)
    }
    expect(await decrypt(bomb.nft, txId)).toMatchObject({
      status: 400,
      json: { code: 'DOCUMENT_UNREADABLE', error: `The document cannot be given: ${REASON}.` },
    })
    const environment = { ...home.environment, TIDEGATE_PROVIDER: world.network.providerUrl }
    expect((await runHere(['show', bomb.did], environment)).stderr).toContain(REASON)
    expect(await validate(text)).toMatchObject({
      status: 400,
      json: { errors: { body: [expect.stringContaining(REASON)] } },
    })

    // controls: short ones that inflate as much, long ones that do not, and one that is published as long as it is
    const long = described(honest, randomBytes(100_000).toString('hex'))
    for (const [flags, packed, plain] of [
      ['0x01', lzmaOf(described(honest, 'x'.repeat(100_000))), described(honest, 'x'.repeat(100_000))],
      ['0x01', xzOf(long, DICTIONARIES.preset9), long],
      ['0x00', described(honest, 'x'.repeat(200_000)), described(honest, 'x'.repeat(200_000))],
    ] as const) {
      await publish(honest, flags, packed, plain)
      const { status, json } = await assets(`ddo/${honest.did}`)
      expect(status).toBe(200)
      expect(json.metadata).toEqual(JSON.parse(plain.toString()).metadata)
    }
    expect((await validate(long)).status).toBe(200)
    expect((await validate(described(honest, 'x'.repeat(100_000)))).status).toBe(200)
  })
})
