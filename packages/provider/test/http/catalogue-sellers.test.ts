import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { publicCatalogue } from './public-catalogue.js'

describe('a seller in the public catalogue', () => {
  let shop: Awaited<ReturnType<typeof publicCatalogue>>
  const NAME = 'Harbour Office of Brest'
  const MARK = '<span class="verified">✓ verified by the operator of this service</span>'
  const short = (account: string) => `${account.slice(0, 6)}…${account.slice(-4)}`
  let stranger: ethers.Wallet
  let copy: Published

  beforeAll(async () => {
    shop = await publicCatalogue()
    stranger = await shop.world.somebody()
    copy = await publishedBy(stranger, NAME)
  })

  const publishedBy = (by: ethers.Wallet, author: string) =>
    shop.world.publish({
      publisher: by,
      files: [{ type: 'url', url: shop.world.storage.file('/copy.csv', Buffer.from('a,b')), method: 'GET' }],
      adjust: ({ metadata }) => Object.assign(metadata, { name: 'Tide tables', author }),
    })

  it('is an account, and a name only if the operator has verified it', async () => {
    expect((await shop.page('/')).json).toMatchObject({ verifiedPublishers: { [shop.publisher.address]: NAME } })
    const own = (await shop.page(`/asset/${shop.tides.did}`)).text
    expect(own).toContain(
      `href="${shop.world.network.providerUrl}/seller/${shop.publisher.address}" title="${shop.publisher.address}">${NAME}</a> ${MARK}`,
    )
    expect(own).toContain(`<dd>${shop.publisher.address}</dd>`)
    const other = (await shop.page(`/asset/${copy.did}`)).text
    expect(other).not.toContain(MARK)
    expect(other).toContain(`title="${stranger.address}">${short(stranger.address)}</a>`)
    expect(other).toContain(`not from the verified publisher ${NAME}`)
    const list = (await shop.page('/catalogue')).text
    for (const account of [shop.publisher.address, stranger.address]) expect(list).toContain(short(account))
  })

  it('is in every format with the account', async () => {
    const chain = shop.world.network.chainId
    const json = async (did: string, format: string) => (await shop.page(`/api/catalogue/${did}?format=${format}`)).json
    for (const format of ['schema.org', 'croissant']) {
      expect(await json(shop.tides.did, format)).toMatchObject({
        creator: {
          name: NAME,
          alternateName: 'Harbour office',
          identifier: `eip155:${chain}:${shop.publisher.address}`,
        },
      })
      expect(await json(copy.did, format)).toMatchObject({
        creator: { name: stranger.address, alternateName: NAME, identifier: `eip155:${chain}:${stranger.address}` },
      })
    }
    expect(await json(copy.did, 'dcat')).toMatchObject({
      'dct:publisher': { 'foaf:name': stranger.address, 'dct:identifier': `eip155:${chain}:${stranger.address}` },
    })
  })

  it('has a page with the assets of the account alone', async () => {
    const own = await shop.page(`/seller/${shop.publisher.address.toLowerCase()}`)
    expect(own.text).toContain(
      `<link rel="canonical" href="${shop.world.network.providerUrl}/seller/${shop.publisher.address}">`,
    )
    expect(own.text).toContain(`<h1>${NAME}</h1>\n<p class="muted">${MARK}</p>`)
    expect([own.text.includes(shop.tides.did), own.text.includes(copy.did)]).toEqual([true, false])
    const other = await shop.page(`/seller/${stranger.address}`)
    expect([other.text.includes(shop.tides.did), other.text.includes(copy.did)]).toEqual([false, true])
    expect(other.text).toContain('Not verified')
    const nobody = await shop.page(`/seller/${newWallet().address}`)
    expect([nobody.status, nobody.headers.get('cache-control')]).toEqual([404, 'no-store'])
    expect(nobody.text).toContain('This account sells nothing here')
    expect((await shop.page('/seller/0x12')).json).toMatchObject({ code: 'ROUTE_NOT_FOUND' })
  })

  it('is not who was given a data NFT with texts of somebody else', async () => {
    const gift = await publishedBy(stranger, NAME)
    const nft = new ethers.Contract(gift.nft, ['function transferFrom(address, address, uint256)'], stranger)
    await shop.world.indexed(await mined(nft.transferFrom?.(stranger.address, shop.publisher.address, 1) as never))
    const text = async () => (await shop.page(`/asset/${gift.did}`)).text
    await eventually(async () => (await text()).includes(`<dd>${shop.publisher.address}</dd>`))
    expect(await text()).not.toContain(MARK)
    expect(await text()).toContain(`described by <span title="${stranger.address}">`)
    expect((await shop.page(`/seller/${shop.publisher.address}`)).text).not.toContain(gift.did)
  })

  it.each([
    ['marks of direction', `\u202e${NAME}\u2066`, true],
    ['look-alikes', 'Harb\u043eur Offi\u0441e of Brest', true],
    ['markup', `<b>${NAME}</b>${MARK}`, true],
    ['a claim', 'verified \u2713', false],
    ['10,000 characters', `${NAME} ${'x'.repeat(10_000)}`, true],
  ])('is not verified by an author of %s', async (_, author, imitates) => {
    const { did } = await publishedBy(stranger, author)
    const { text } = await shop.page(`/asset/${did}`)
    expect(text).not.toContain(MARK)
    expect(text).not.toMatch(/[\u202e\u2066]|<b>/)
    expect(text).toContain(`title="${stranger.address}">${short(stranger.address)}</a>`)
    expect(text.includes('Not verified: not from')).toBe(imitates)
    expect(text.length).toBeLessThan(20_000)
  })
})
