import type { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, downloadParams } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'

type Json = Record<string, unknown>

/** Address entries of credentials that name no addresses, in every form that a document may give them. */
describe('an address entry of credentials', () => {
  let world: World
  let publisher: Wallet
  let asset: Published
  let buyer: Wallet
  let txId: string

  beforeAll(async () => {
    world = await World.start()
    publisher = await world.somebody()
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('tide')), { publisher }))
  })

  /** Republishes the asset with other credentials. Returns its DID. */
  async function republished(form: Form, credentials: unknown): Promise<string> {
    const { chainId, providerUrl } = world.network
    const nft = asset.nft as `0x${string}`
    const ddo = JSON.parse(JSON.stringify(asset.ddo)) as Json & { services: Json[] }
    if (form === 'of a service') ddo.services[0] = { ...ddo.services[0], credentials }
    else ddo.credentials = credentials
    const { chainId: _chain, nftAddress, services, metadata } = ddo
    const five = {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: didOf(nft, chainId, 5),
      version: '5.0.0',
      credentialSubject: { chainId, nftAddress, services, metadata, credentials },
    }
    const document = form.startsWith('of version 5') ? five : ddo
    const encrypted = await ocean.ProviderInstance.encrypt(document, chainId, providerUrl)
    const hash = `0x${ocean.getHash(JSON.stringify(document))}`
    const sent = new ocean.Nft(publisher, chainId).setMetadata(
      nft,
      publisher.address,
      0,
      '',
      '',
      '0x02',
      encrypted,
      hash,
    )
    await world.indexed(await mined(sent))
    return document.id as string
  }

  /** The error codes that a quote and a download are answered with. */
  async function verdicts(did: string): Promise<unknown[]> {
    const base = `${world.network.providerUrl}/api/services`
    const query = { documentId: did, serviceId: 'tide-access', consumerAddress: buyer.address }
    const quote = await ask(`${base}/initialize?${new URLSearchParams(query)}`)
    const file = await ask(`${base}/download?${await downloadParams({ ...asset, did }, txId, buyer)}`)
    return [quote.json.code ?? quote.status, file.json.code ?? file.text]
  }

  const PASSES = [200, 'tide']
  const DENIED = ['CREDENTIALS_DENIED', 'CREDENTIALS_DENIED']
  const FORMS = ['of version 4', 'of a service', 'of version 5', 'of version 5, in a list'] as const
  type Form = (typeof FORMS)[number]
  const MALFORMED = [{}, { values: null }, { values: '*' }, { values: { 0: '*', length: 1 } }, { values: 7 }]
  const open = { type: 'address', values: [] }

  describe.each(FORMS)('%s', (form) => {
    const wrapped = (credentials: Json) => (form.endsWith('list') ? [credentials] : credentials)
    const published = async (credentials: Json) => verdicts(await republished(form, wrapped(credentials)))

    it('admits nobody without a list of values, and is ignored beside an entry that has one (threat 64)', async () => {
      for (const wrong of MALFORMED) {
        const entry = { type: 'Address', ...wrong }
        expect(await published({ allow: [entry], deny: [] }), JSON.stringify(wrong)).toEqual(DENIED)
      }
      const [wrong] = MALFORMED
      const named = { type: 'address', values: [buyer.address.toLowerCase()] }
      // in version 5 all entries must name the consumer
      const beside = { allow: [{ type: 'address', ...wrong }, named] }
      expect(await published(beside)).toEqual(form.startsWith('of version 5') ? DENIED : PASSES)
      expect(await published({ match_allow: 'any', ...beside })).toEqual(PASSES)
      expect(await published({ match_allow: 'all', allow: [{ type: 'address', ...wrong }, named] })).toEqual(DENIED)
      // an open entry does not lift the restriction of another one
      expect(await published({ allow: [{ type: 'address', ...wrong }, open] })).toEqual(DENIED)
    })

    it('denies everybody without a list of values in deny (threat 64)', async () => {
      for (const wrong of MALFORMED.slice(0, 3))
        expect(await published({ deny: [{ type: 'address', ...wrong }] }), JSON.stringify(wrong)).toEqual(DENIED)
    })

    it('denies before it allows, and admits nobody else than it names (threat 23)', async () => {
      const [me, other] = [buyer.address.toLowerCase(), asset.nft].map((one) => ({ type: 'address', values: [one] }))
      expect(await published({ allow: [me], deny: [me] })).toEqual(DENIED)
      expect(await published({ allow: [other], deny: [] })).toEqual(DENIED)
      expect(await published({ allow: [me], deny: [other] })).toEqual(PASSES)
    })

    it('restricts nobody with an empty list (threat 64)', async () => {
      expect(await published({ allow: [open], deny: [open] })).toEqual(PASSES)
      expect(await published({ allow: [], deny: [] })).toEqual(PASSES)
    })
  })

  it('is treated the same when malformed in a nested list of version 5 (threat 64)', async () => {
    for (const [entry, expected] of [
      [{ type: 'address' }, DENIED],
      [{ type: 'address', values: buyer.address }, DENIED],
      [{ type: 5, values: [buyer.address] }, DENIED],
      [open, PASSES],
      [{ type: 'address', values: [{ address: buyer.address }] }, PASSES],
    ] as const)
      expect(await verdicts(await republished('of version 5', [entry])), JSON.stringify(entry)).toEqual(expected)
  })
})
