import { describe, expect, it } from 'vitest'
import { ocean } from '../../../../test/helpers/ocean.js'
import { didOf, readDdo, readPublishableDdo } from './ddo.js'

const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'

const ddo = () => ({
  '@context': ['https://w3id.org/did/v1'],
  id: didOf(NFT, 8996),
  version: '4.1.0',
  chainId: 8996,
  nftAddress: NFT.toLowerCase(),
  metadata: {
    created: '2026-01-01T00:00:00Z',
    updated: '2026-01-01T00:00:00Z',
    type: 'dataset',
    name: 'n',
    description: 'd',
    author: 'a',
    license: 'l',
  },
  services: [
    { id: '1', type: 'access', files: '0x04', datatokenAddress: NFT, serviceEndpoint: 'http://x', timeout: 0 },
  ],
})

describe('DID', () => {
  it('is the same as client libraries compute, for any case of the address', () => {
    expect(didOf(NFT, 8996)).toBe(ocean.generateDid(NFT, 8996))
    expect(didOf(NFT.toLowerCase() as `0x${string}`, 1)).toBe(ocean.generateDid(NFT, 1))
  })
})

describe('DDO', () => {
  it('is parsed with checksummed addresses', () => {
    const read = readDdo(ddo())
    expect(read).toMatchObject({ ddo: { nftAddress: NFT, services: [{ datatokenAddress: NFT }] } })
    expect(readPublishableDdo(ddo())).toHaveProperty('ddo')
  })

  it.each([
    [{ id: didOf(NFT, 1) }, 'id'],
    [{ chainId: 1 }, 'id'],
    [{ version: '3.0.0' }, 'version'],
    [{ nftAddress: 'nobody' }, 'nftAddress'],
    [{ services: [] }, 'services'],
    [{ services: [{ ...ddo().services[0], timeout: -1 }] }, 'services.0.timeout'],
  ])('names the field that is wrong in %j', (change, field) => {
    expect(readDdo({ ...ddo(), ...change })).toMatchObject({ problems: { [field as string]: expect.any(String) } })
  })

  it.each([
    [{ credentials: { allow: [{ type: 'address' }] } }],
    [{ credentials: { deny: [{ type: 'Address', values: 'everybody' }] } }],
    [{ services: [{ ...ddo().services[0], credentials: { allow: [{ type: 'address', values: null }] } }] }],
  ])('is invalid when an address entry has no list of values: %j (threat 64)', (change) => {
    expect(readPublishableDdo({ ...ddo(), ...change })).toMatchObject({
      problems: { credentials: expect.stringContaining('a list of values') },
    })
    const open = { credentials: { allow: [{ type: 'address', values: [] }], deny: [] } }
    expect(readPublishableDdo({ ...ddo(), ...open })).toHaveProperty('ddo')
  })

  it('must be complete to be valid for publishing', () => {
    const { metadata: _metadata, ...without } = ddo()
    expect(readDdo(without)).toHaveProperty('ddo')
    expect(readPublishableDdo(without)).toMatchObject({ problems: { metadata: expect.any(String) } })
  })
})
