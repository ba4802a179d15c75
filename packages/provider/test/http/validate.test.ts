import { createHash } from 'node:crypto'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { ask, freshNonce, signText } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { World } from '../../../../test/helpers/world.js'
import { PROTOCOL_LIMITS } from '../../../protocol/src/limits.js'

describe('a document that is validated', () => {
  let world: World
  let ddo: object
  let publisher: ethers.Wallet
  let url: string
  beforeAll(async () => {
    world = await World.start()
    ddo = (await world.publishUrl(world.storage.file('/ä.csv', Buffer.from('tide')))).ddo
    publisher = newWallet()
    url = world.network.providerUrl
  })

  const TYPES = ['application/octet-stream', 'application/json']
  const post = (body: string, type = TYPES[0] as string) =>
    ask(`${url}/api/aquarius/assets/ddo/validate`, { method: 'POST', headers: { 'content-type': type }, body })
  const hashOf = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}`
  async function envelope(changed: object = {}, command = '', signer = publisher) {
    const nonce = freshNonce()
    const signature = await signText(signer, publisher.address + nonce + command)
    return { ddo, publisherAddress: publisher.address, nonce, signature, ...changed }
  }
  /** The value with other white space, so that its bytes differ from those of the document. */
  const spaced = (value: object) => JSON.stringify(value, null, 1)

  it.each(
    TYPES.flatMap((type) => ['', 'validateDDO'].map((command) => [type, command] as const)),
  )('is accepted in a signed envelope as %s, with the command "%s"', async (type, command) => {
    const { status, json } = await post(spaced(await envelope({}, command)), type)
    expect(status).toBe(200)
    expect(json).toMatchObject({ hash: hashOf(JSON.stringify(ddo)), r: [expect.any(String)], s: [expect.any(String)] })
    const signature = {
      r: (json.r as string[])[0] as string,
      s: (json.s as string[])[0] as string,
      v: json.v as number,
    }
    const signer = ethers.utils.verifyMessage(ethers.utils.arrayify(json.hash as string), signature)
    expect(signer).toBe(json.publicKey)
  })

  it.each(TYPES)('needs no signature, by itself or in an envelope, as %s', async (type) => {
    const hash = hashOf(JSON.stringify(ddo))
    expect(await post(JSON.stringify(ddo), type)).toMatchObject({ status: 200, json: { hash } })
    for (const unsigned of [{ ddo }, { ddo, signature: null }, { ddo, signature: 'null', nonce: 1 }, { ddo, other: 1 }])
      expect(await post(spaced(unsigned), type)).toMatchObject({ status: 200, json: { hash } })
  })

  it('consumes its nonce, here and for a token', async () => {
    const sent = await envelope()
    const body = JSON.stringify(sent)
    expect((await post(body)).status).toBe(200)
    expect(await post(body)).toMatchObject({ status: 400, json: { errors: { nonce: [expect.any(String)] } } })
    const { publisherAddress: address, nonce, signature } = sent
    const expiration = String(Math.floor(Date.now() / 1000) + 60)
    const token = new URLSearchParams({ address, nonce, signature, expiration })
    expect(await ask(`${url}/api/services/createAuthToken?${token}`)).toMatchObject({
      status: 400,
      json: { errors: { nonce: [expect.any(String)] } },
    })
  })

  it('consumes its nonce even if the document is refused (threat 53)', async () => {
    const sent = await envelope({ ddo: { id: 'did:op:1' } })
    expect(await post(JSON.stringify(sent))).toMatchObject({
      status: 400,
      json: { errors: { version: [expect.anything()] } },
    })
    expect(await post(JSON.stringify({ ...sent, ddo }))).toMatchObject({
      status: 400,
      json: { errors: { nonce: [expect.any(String)] } },
    })
  })

  it.each<[string, (sent: Awaited<ReturnType<typeof envelope>>) => object, string]>([
    ["somebody else's signature", (sent) => ({ ...sent, publisherAddress: `0x${'12'.repeat(20)}` }), 'signature'],
    ['another nonce', (sent) => ({ ...sent, nonce: freshNonce() }), 'signature'],
    ['no nonce', ({ nonce: _, ...sent }) => sent, 'nonce'],
    ['no address', ({ publisherAddress: _, ...sent }) => sent, 'publisherAddress'],
    ['an address that is none', (sent) => ({ ...sent, publisherAddress: '0x12' }), 'publisherAddress'],
    ['a signature that is none', (sent) => ({ ...sent, signature: 'x' }), 'signature'],
    ['a signature that is an object', (sent) => ({ ...sent, signature: { r: 1 } }), 'signature'],
    ['a signature that is a list', (sent) => ({ ...sent, signature: [sent.signature] }), 'signature'],
    ['a signature of a megabyte', (sent) => ({ ...sent, signature: `0x${'00'.repeat(15_000)}` }), 'signature'],
    ['a nonce that is an object', (sent) => ({ ...sent, nonce: {} }), 'nonce'],
    ['a nonce in another notation', (sent) => ({ ...sent, nonce: '1e3' }), 'nonce'],
    ['a document that is a list', (sent) => ({ ...sent, ddo: [] }), 'document'],
    ['a document that is a text', (sent) => ({ ...sent, ddo: 'did:op:1' }), 'document'],
    ['a document that is nothing', (sent) => ({ ...sent, ddo: null }), 'document'],
    ['an envelope for a document', (sent) => ({ ...sent, ddo: { ddo } }), 'version'],
  ])('%s is a 400 that names the field', async (_case, change, field) => {
    for (const type of TYPES) {
      const { status, json } = await post(JSON.stringify(change(await envelope())), type)
      expect([status, Object.keys(json.errors as object)]).toEqual([400, expect.arrayContaining([field])])
    }
  })

  it('is refused with a signature for another command', async () => {
    const sent = await envelope({}, 'encrypt')
    expect(await post(JSON.stringify(sent))).toMatchObject({
      status: 400,
      json: { errors: { signature: expect.anything() } },
    })
  })

  it('is a 4xx if it is too deep, too large or not JSON', async () => {
    const { depth } = PROTOCOL_LIMITS.document
    const deep = `{"ddo":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const huge = JSON.stringify(await envelope({ ddo: { ...ddo, more: 'x'.repeat(1_100_000) } }))
    for (const body of [deep, huge, '{"ddo":', '[]', 'null', '', '{"ddo":{}', `{"ddo":${'[1,'.repeat(60_000)}`]) {
      const { status, json } = await post(body)
      expect([status >= 400 && status < 500, typeof json], body.slice(0, 40)).toEqual([true, 'object'])
    }
  })
})
