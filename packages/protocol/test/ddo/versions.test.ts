import { beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import { ask, askJson, downloadParams } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { didOf } from '../../src/ddo/ddo.js'

/** Asset descriptors of every version that is in use, from the chain to the file. */
describe('DDO versions', () => {
  let world: World
  beforeAll(async () => {
    world = await World.start()
  })

  async function republished(change: (ddo: Record<string, unknown>, did: { v5: string }) => object) {
    const publisher = await world.somebody()
    const url = world.storage.file('/a.csv', Buffer.from('tide'))
    const asset = await world.publishUrl(url, { publisher })
    const { chainId, providerUrl } = world.network
    const v5 = didOf(asset.nft as `0x${string}`, chainId, 5)
    const ddo = change(JSON.parse(JSON.stringify(asset.ddo)) as Record<string, unknown>, { v5 })
    const encrypted = await ocean.ProviderInstance.encrypt(ddo, chainId, providerUrl)
    const nft = new ocean.Nft(publisher, chainId)
    const hash = `0x${ocean.getHash(JSON.stringify(ddo))}`
    await world.indexed(await mined(nft.setMetadata(asset.nft, publisher.address, 0, '', '', '0x02', encrypted, hash)))
    return { asset, did: (ddo as { id: string }).id }
  }
  const as5 =
    (change: (subject: Record<string, unknown>) => void) =>
    (ddo: Record<string, unknown>, { v5 }: { v5: string }) => {
      const { chainId, nftAddress, services, metadata } = ddo
      const subject = { chainId, nftAddress, services, metadata, credentials: [] as unknown }
      change(subject)
      const type = ['VerifiableCredential']
      const context = ['https://www.w3.org/ns/credentials/v2']
      return { '@context': context, id: v5, version: '5.0.0', type, issuer: 'did:web:x', credentialSubject: subject }
    }

  it.each(['4.0.0', '4.1.0', '4.3.0', '4.5.0', '4.7.0'])('%s', async (version) => {
    const { asset, did } = await republished((ddo) => ({ ...ddo, version }))
    const buyer = await world.somebody()
    const params = await downloadParams(asset, await world.order(asset, buyer), buyer)
    expect((await ask(`${world.network.providerUrl}/api/services/download?${params}`)).text).toBe('tide')
    const found = await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${did}`)
    expect(found.json).toMatchObject({ version, datatokens: [{ address: asset.datatoken }] })
  })

  it('5: a verifiable credential, under its own kind of DID', async () => {
    const { asset, did } = await republished(as5(() => undefined))
    const { providerUrl: base } = world.network
    expect(did).toMatch(/^did:ope:[0-9a-f]{64}$/)
    const found = (await ask(`${base}/api/aquarius/assets/ddo/${did}`)).json
    expect(found).toMatchObject({
      indexedMetadata: { nft: { address: asset.nft, state: 0 } },
      credentialSubject: { datatokens: [{ address: asset.datatoken, serviceId: 'tide-access' }] },
    })
    expect((await ask(`${base}/api/aquarius/assets/ddo/${asset.did}`)).status).toBe(404)

    const buyer = await world.somebody()
    const fives = { ...asset, did }
    const { json: old } = await ask(
      `${base}/api/services/initialize?documentId=${asset.did}&serviceId=tide-access&consumerAddress=${buyer.address}`,
    )
    expect(old).toMatchObject({ code: 'DID_NOT_RESOLVED' })
    const params = await downloadParams(fives, await world.order(fives, buyer), buyer)
    expect((await ask(`${base}/api/services/download?${params}`)).text).toBe('tide')
    const info = await askJson(`${base}/api/services/fileinfo`, { did, serviceId: 'tide-access' })
    expect(info.json).toMatchObject([{ valid: true, contentLength: '4' }])
  })

  const address = (...values: unknown[]) => ({ type: 'address', values })
  it.each<[string, (buyer: string) => unknown]>([
    ['denied by address', (buyer) => ({ deny: [address(buyer)] })],
    ['denied by an object', (buyer) => [{ deny: [address({ address: buyer })] }]],
    ['not among the allowed', () => [address(`0x${'12'.repeat(20)}`)]],
    ['in need of a credential that is not known here', () => [{ type: 'SSIpolicy', values: [] }]],
    [
      'named by one of two entries that must all match',
      (buyer) => ({ match_allow: 'all', allow: [address(buyer), { type: 'accessList' }] }),
    ],
    [
      'named by one of two entries without a word on how many must match',
      (buyer) => ({ allow: [address(buyer), address(`0x${'12'.repeat(20)}`)] }),
    ],
  ])('5: refuses a consumer who is %s', async (_name, credentials) => {
    const buyer = await world.somebody()
    const change = (subject: object) => void Object.assign(subject, { credentials: credentials(buyer.address) })
    const { did } = await republished(as5(change))
    const url = `${world.network.providerUrl}/api/services/initialize?documentId=${did}&serviceId=tide-access`
    expect((await ask(`${url}&consumerAddress=${buyer.address}`)).json).toMatchObject({ code: 'CREDENTIALS_DENIED' })
  })

  it('5: refuses a service that its publisher has switched off', async () => {
    const { address: consumer } = await world.somebody()
    const off = (subject: Record<string, unknown>) =>
      void Object.assign((subject.services as object[])[0] as object, { state: 3 })
    const { did } = await republished(as5(off))
    const url = `${world.network.providerUrl}/api/services/initialize?documentId=${did}&serviceId=tide-access`
    expect((await ask(`${url}&consumerAddress=${consumer}`)).json).toMatchObject({ code: 'ASSET_NOT_CONSUMABLE' })
  })

  it('5: admits everybody for *, and on any match unless all must match', async () => {
    for (const credentials of [
      { allow: [{ type: 'address', values: ['*'] }] },
      { match_allow: 'any', allow: [{ type: 'address', values: ['*'] }, { type: 'accessList' }] },
      null,
    ]) {
      const { did } = await republished(as5((subject) => Object.assign(subject, { credentials })))
      const { address } = await world.somebody()
      const url = `${world.network.providerUrl}/api/services/initialize?documentId=${did}&serviceId=tide-access`
      expect((await ask(`${url}&consumerAddress=${address}`)).status).toBe(200)
    }
  })

  it('5: is rejected under the DID of another NFT, and in the form of version 4', async () => {
    for (const id of [`did:ope:${'0'.repeat(64)}`, 'v4'] as const) {
      const { asset, did } = await republished((ddo, dids) => {
        const five = as5(() => undefined)(ddo, dids)
        return { ...five, id: id === 'v4' ? ddo.id : id }
      })
      for (const wrong of [did, asset.did])
        expect((await ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${wrong}`)).status).toBe(404)
    }
  })
})
