import { ethers } from 'ethers'
import type { Address } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { served } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { Market, type Person } from './market.js'

const TRANSFER = ['function transfer(address,uint256)']
const SIZES = [10, 200, 3000, 40, 50]

let world: World
let market: Market

beforeAll(async () => {
  // one unit for each byte
  world = await World.start({ PROVIDER_FEES: JSON.stringify([{ perGiB: String(2 ** 30) }]) })
  market = new Market(world)
})
afterAll(() => world?.close())

/** Returns a person who can pay the provider. */
async function payer(): Promise<Person> {
  const person = await market.person()
  const token = new ethers.Contract(world.network.addresses.Ocean, TRANSFER, world.provider.getSigner(0))
  await mined(token.transfer?.(person.address, 1_000_000) as Promise<unknown>)
  return person
}

function fileOf(size: number, at: number) {
  const url = world.storage.file(`/${at}-${size}`, Buffer.alloc(size, String(at)))
  return { type: 'url', url, method: 'GET' }
}

async function published(sizes: number[], by?: Person): Promise<string> {
  const { tidegate } = by ?? (await market.person())
  const { did } = await tidegate.publish({ name: 'Tides', files: sizes.map(fileOf), price: 'free' })
  await served(world.network.providerUrl, { did })
  return did
}

const sizeOf = async ({ tidegate }: Person, did: string, file: number) =>
  (await (await tidegate.download(did, { file })).blob()).size

describe('an order for one file', () => {
  it('opens that file in the next version as well, until it is gone (B2)', async () => {
    const [owner, buyer] = [await market.person(), await payer()]
    const did = await published([10, 200], owner)
    const { order } = await buyer.tidegate.buy(did, { file: 0 })
    const code = async (file: number) =>
      buyer.tidegate.download(did, { file, order }).then(
        async (download) => (await download.blob()).size,
        (error) => error.code,
      )
    expect([await code(0), await code(1)]).toEqual([10, 'ORDER_WRONG_FILE'])
    await owner.tidegate.update(did, { files: [fileOf(200, 1), fileOf(10, 0)] })
    await eventually(async () => (await code(1)) === 10)
    expect(await code(0)).toBe('ORDER_WRONG_FILE')
    await owner.tidegate.update(did, { files: [fileOf(200, 1), fileOf(30, 2)] })
    await eventually(async () => (await code(1)) === 'ORDER_FILE_GONE')
    expect(await code(0)).toBe('ORDER_FILE_GONE')
  })

  it('is bought, found and used only for that file (threat 94)', async () => {
    const [did, buyer] = [await published(SIZES), await payer()]
    const { tidegate } = buyer
    const feeOf = async (file?: number) => (await tidegate.quote(did, { file })).price.providerFee?.units
    expect([await feeOf(0), await feeOf(2), await feeOf()]).toEqual([10n, 3000n, 3300n])

    const quote = await tidegate.quote(did, { file: 0 })
    expect(quote).toMatchObject({ file: 0 })
    const first = await tidegate.buy(quote)
    expect(first.paid.map(({ units }) => units)).toEqual([10n])
    expect(await tidegate.buy(did, { file: 0 })).toMatchObject({ order: first.order, reused: true })
    expect(await sizeOf(buyer, did, 0)).toBe(10)
    await expect(sizeOf(buyer, did, 2)).rejects.toMatchObject({ code: 'NO_ORDER' })
    await expect(tidegate.link(did, { file: 2 })).rejects.toMatchObject({ code: 'NO_ORDER' })
    const named = tidegate.download(did, { file: 2, order: first.order })
    await expect(named).rejects.toMatchObject({ code: 'ORDER_WRONG_FILE' })
    expect(await feeOf(2)).toBe(3000n)
    expect(await feeOf()).toBe(3300n)

    // the order for a file is found behind those for others, and nothing is paid twice
    const later = []
    for (const file of [1, 3, 4]) later.push((await tidegate.buy(did, { file })).order)
    expect(await tidegate.buy(did, { file: 0 })).toMatchObject({ order: first.order, reused: true })
    expect(await sizeOf(buyer, did, 0)).toBe(10)
    expect((await fetch((await tidegate.link(did, { file: 3 })).url)).status).toBe(200)

    // all files need another order
    const all = await tidegate.buy(did)
    expect(all.paid.map(({ units }) => units)).toEqual([3300n])
    expect(await sizeOf(buyer, did, 2)).toBe(3000)
    expect(await tidegate.buy(did)).toMatchObject({ order: all.order, reused: true })
    expect(await tidegate.buy(did, { file: 2 })).toMatchObject({ order: all.order, reused: true })

    const found = await tidegate.orders()
    expect(found.map(({ tx, file, refused }) => [tx, file, refused])).toEqual([
      [all.order, undefined, undefined],
      [later[2], 4, undefined],
      [later[1], 3, undefined],
      [later[0], 1, undefined],
      [first.order, 0, undefined],
    ])
  })

  it('opens all files if there is no other file', async () => {
    const [did, buyer] = [await published([7]), await payer()]
    const { order, paid } = await buyer.tidegate.buy(did, { file: 0 })
    expect(paid.map(({ units, token }) => [units, token])).toEqual([[7n, world.network.addresses.Ocean as Address]])
    expect(await buyer.tidegate.buy(did)).toMatchObject({ order, reused: true })
    expect(await buyer.tidegate.orders()).toMatchObject([{ tx: order }])
    expect(await sizeOf(buyer, did, 0)).toBe(7)
  })

  it('is found if other files are unavailable (threat 94)', async () => {
    const [did, buyer] = [await published([11, 12]), await payer()]
    const { order } = await buyer.tidegate.buy(did, { file: 0 })
    world.storage.on('/1-12', (_request, response) => void response.writeHead(404).end())
    const other = await market.person()
    await expect(buyer.tidegate.quote(did, { file: 0 })).resolves.toMatchObject({ order })
    expect(await buyer.tidegate.orders()).toMatchObject([{ tx: order, file: 0 }])
    expect(await sizeOf(buyer, did, 0)).toBe(11)
    expect((await other.tidegate.quote(did, { file: 0 })).price.providerFee?.units).toBe(11n)
  })
})
