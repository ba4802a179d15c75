import { ethers, type Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { ChainFollower } from '../../../catalog/src/index/follower.js'
import { deployContracts } from '../../../dev-network/src/deploy.js'
import { openSqliteStore } from '../../src/state/sqlite.js'

describe('on-chain index', () => {
  let world: World
  let publisher: Wallet
  beforeAll(async () => {
    world = await World.start()
    publisher = await world.somebody()
  })

  const document = async (did: string) => ask(`${world.network.providerUrl}/api/aquarius/assets/ddo/${did}`)
  const publishUrl = () => world.publishUrl(world.storage.file('/a.csv', Buffer.from('a')), { publisher })

  it('sees updates of the document and changes of the state', async () => {
    const asset = await publishUrl()
    const nft = new ocean.Nft(publisher, world.network.chainId)
    const changed = { ...asset.ddo, metadata: { ...asset.ddo.metadata, name: 'Höhen' } }
    const encrypted = await ocean.ProviderInstance.encrypt(changed, world.network.chainId, world.network.providerUrl)
    const hash = `0x${ocean.getHash(JSON.stringify(changed))}`
    const txId = await mined(nft.setMetadata(asset.nft, publisher.address, 0, '', '', '0x02', encrypted, hash))
    await world.indexed(txId)
    expect((await document(asset.did)).json).toMatchObject({ metadata: { name: 'Höhen' }, event: { txid: txId } })

    await world.indexed(await mined(nft.setMetadataState(asset.nft, publisher.address, 3)))
    const revoked = (await document(asset.did)).json
    expect(revoked).toMatchObject({ id: asset.did, nft: { state: 3 } })
    expect(revoked).not.toHaveProperty('services')
  })

  it('leaves an asset that it cannot read unresolved, and continues', async () => {
    const asset = await publishUrl()
    const nft = new ocean.Nft(publisher, world.network.chainId)
    const hash = ethers.utils.id('x')
    for (const [flags, data] of [
      ['0x02', '0x1234'],
      ['0x01', '0x1234'],
      ['0x00', '0x7b'],
      ['0xff', '0x'],
    ] as const) {
      await world.indexed(await mined(nft.setMetadata(asset.nft, publisher.address, 0, '', '', flags, data, hash)))
      expect((await document(asset.did)).status).toBe(404)
    }
    expect((await document((await publishUrl()).did)).status).toBe(200)
  })

  it('ignores NFTs that another factory deployed', async () => {
    const asset = await publishUrl()
    const { addresses, chainId } = world.network
    const rogue = await deployContracts(world.network.rpcUrl)
    expect(rogue.ERC721Factory).not.toBe(addresses.ERC721Factory)
    const factory = new ocean.NftFactory(rogue.ERC721Factory, publisher, chainId)
    const owner = publisher.address
    const address = await factory.createNFT({
      name: 'x',
      symbol: 'x',
      templateIndex: 1,
      tokenURI: '',
      transferable: true,
      owner,
    })
    const did = ocean.generateDid(address as string, chainId)
    const ddo = JSON.stringify({ ...asset.ddo, id: did, nftAddress: address })
    const nft = new ocean.Nft(publisher, chainId)
    const data = ethers.utils.hexlify(ethers.utils.toUtf8Bytes(ddo))
    const txId = await mined(
      nft.setMetadata(address as string, owner, 0, '', '', '0x00', data, `0x${ocean.getHash(ddo)}`),
    )
    await world.indexed(txId)
    expect((await document(did)).status).toBe(404)
    expect((await document(asset.did)).status).toBe(200)
  })

  it('follows the owner of the NFT and the price of the datatoken', async () => {
    const asset = await publishUrl()
    const heir = await world.somebody()
    await mined(new ocean.Nft(publisher, world.network.chainId).transferNft(asset.nft, publisher.address, heir.address))
    const buyer = await world.somebody()
    await world.indexed(await world.order(asset, buyer))
    expect((await document(asset.did)).json).toMatchObject({ nft: { owner: heir.address }, stats: { orders: 1 } })
  })

  it('reads the same rows in small ranges as in one large range, and continues from its cursor', async () => {
    await publishUrl()
    const { context } = world.local.app
    const chain = [...context.chains.values()][0] as NonNullable<ReturnType<typeof context.chains.get>>
    const folder = newFolder()
    const store = openSqliteStore(folder)
    const silent = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }
    const follower = () =>
      new ChainFollower(
        chain,
        store.index,
        {
          blockRange: 3,
          concurrency: 4,
          pollInterval: 10,
          documents: context.services.catalog.documents,
          reorgDepth: 64,
        },
        silent,
      )
    // a new follower for each range: everything a follower knows is in the store
    const head = await world.provider.getBlockNumber()
    for (let steps = 0; ((await store.index.cursor(chain.chainId))?.block ?? -1) < head; steps++) {
      expect(steps).toBeLessThan(head)
      await follower().step()
    }
    await publishUrl()
    await eventually(async () => {
      await follower().step()
      return (await store.index.cursor(chain.chainId))?.block === (await world.provider.getBlockNumber())
    })
    for (const did of await dids()) expect(await store.index.asset(did)).toEqual(await context.store.index.asset(did))
    await store.close()
  })

  /** The DIDs of every NFT that the factory has deployed. */
  async function dids(): Promise<string[]> {
    const { ERC721Factory } = world.network.addresses
    const topic = ethers.utils.id('NFTCreated(address,address,string,address,string,string,bool,address)')
    const logs = await world.provider.getLogs({ address: ERC721Factory, fromBlock: 0, topics: [topic] })
    return logs.map(({ data }) =>
      ocean.generateDid(ethers.utils.getAddress(`0x${data.slice(26, 66)}`), world.network.chainId),
    )
  }

  it('rebuilds when the history of the chain has changed', async () => {
    const [kept, lost] = [await publishUrl(), await publishUrl()]
    const { blockNumber } = await world.provider.getTransactionReceipt(lost.txId)
    const head = await world.provider.getBlockNumber()
    await world.reorganise(head - blockNumber + 1)
    await eventually(async () => (await document(lost.did)).status === 404)
    await eventually(async () => (await document(kept.did)).status === 200)
  })
})
