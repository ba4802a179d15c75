import type { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { World } from '../../../../test/helpers/world.js'
import type { AssetSource } from '../../../catalog/src/resolver.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'

/** A source under test, and how to release what it holds. */
export interface SourceUnderTest {
  source: AssetSource
  close?(): Promise<void>
}

/** The suite that every source of assets must pass. `open` opens one for the chain and the service of a world. */
export function sourceSuite(name: string, open: (world: World) => SourceUnderTest): void {
  describe(`source of assets: ${name}`, () => {
    let world: World
    let under: SourceUnderTest
    let publisher: Wallet
    let asset: Published
    beforeAll(async () => {
      world = await World.start()
      publisher = await world.somebody()
      asset = await publish()
      under = open(world)
    })
    afterAll(async () => {
      await under.close?.()
      await world.close()
    })

    const publish = (adjust?: (ddo: Published['ddo']) => void) => {
      const url = world.storage.file('/a.csv', Buffer.from('tide'))
      return world.publishUrl(url, { publisher, ...(adjust ? { adjust } : {}) })
    }
    const find = (did = asset.did) => under.source.find(did)

    it('returns a published asset, as its document and the chain have it', async () => {
      const found = await find()
      expect(found).toMatchObject({ chainId: world.network.chainId, nft: asset.nft, state: 0 })
      expect(found?.datatokens).toEqual([asset.datatoken])
      expect(found?.ddo).toMatchObject({ id: asset.did, nftAddress: asset.nft, chainId: world.network.chainId })
      expect(found?.ddo.services).toMatchObject(asset.ddo.services.map(({ id, files }) => ({ id, files })))
    })

    it('returns the same for concurrent requests', async () => {
      const found = await Promise.all(Array.from({ length: 20 }, () => find()))
      for (const one of found) expect(one).toEqual(found[0])
    })

    it('returns nothing for a DID without an asset, or for a text that is no DID', async () => {
      const nobody = didOf(`0x${'12'.repeat(20)}`, world.network.chainId)
      const elsewhere = didOf(asset.nft as `0x${string}`, world.network.chainId + 1)
      for (const did of [nobody, elsewhere, asset.did.toUpperCase(), `${asset.did}/..`, 'did:op:', '', '../../../'])
        expect(await find(did), did).toBeUndefined()
    })

    it('returns only datatokens that the NFT deployed, whatever the document names (threat 21)', async () => {
      const thief = await publish((ddo) => {
        for (const service of ddo.services) service.datatokenAddress = asset.datatoken
      })
      const found = await find(thief.did)
      expect(found?.ddo.services[0]?.datatokenAddress).toBe(asset.datatoken)
      expect(found?.datatokens).toEqual([thief.datatoken])
    })

    it('follows updates of the document and of the state', async () => {
      const { chainId, providerUrl } = world.network
      const changing = await publish()
      expect((await find(changing.did))?.ddo.services[0]?.timeout).not.toBe(77)
      const nft = new ocean.Nft(publisher, chainId)
      const ddo = { ...changing.ddo, services: changing.ddo.services.map((one) => ({ ...one, timeout: 77 })) }
      const encrypted = await ocean.ProviderInstance.encrypt(ddo, chainId, providerUrl)
      const hash = `0x${ocean.getHash(JSON.stringify(ddo))}`
      const owner = publisher.address
      await world.indexed(await mined(nft.setMetadata(changing.nft, owner, 0, '', '', '0x02', encrypted, hash)))
      await eventually(async () => (await find(changing.did))?.ddo.services[0]?.timeout === 77)
      await world.indexed(await mined(nft.setMetadataState(changing.nft, owner, 3)))
      await eventually(async () => (await find(changing.did))?.state === 3)
    })
  })
}
