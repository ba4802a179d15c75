import type { FileEdit } from '@tidegate/client'
import type { Address } from 'viem'
import { beforeAll, describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, served } from '../../../../test/helpers/requests.js'
import { market, type Person, useMarket, world } from './market.js'

useMarket()

describe('a published asset', () => {
  let owner: Person
  let did: string
  beforeAll(async () => {
    owner = await market.person()
    did = (await owner.tidegate.publish({ ...market.request, tags: ['old'] })).did
    await served(world.network.providerUrl, { did })
  })

  it('is changed by its owner, only in the given fields', async () => {
    const access = [owner.address]
    const { transactions } = await owner.tidegate.update(did, { description: 'New', tags: [], timeout: 60, access })
    expect(transactions).toHaveLength(1)
    await market.known(did, { 'metadata.description': 'New' })
    expect(await market.documentOf(did)).toMatchObject({
      metadata: { name: 'Tide tables', description: 'New', tags: [] },
      services: [{ timeout: 60 }],
      credentials: { allow: [{ values: access }] },
    })
    await owner.tidegate.update(did, { access: null })
    await eventually(async () => (await market.documentOf(did)).credentials === undefined)
  })

  it('gets other files, which are checked first', async () => {
    const url = world.storage.file('/new.csv', Buffer.from('1:00\n'))
    await expect(owner.tidegate.update(did, { files: [{ ...market.file, url: `${url}x` }] })).rejects.toMatchObject({
      code: 'FILE_UNAVAILABLE',
    })
    await owner.tidegate.update(did, { files: [{ ...market.file, url }] })
    const info = () =>
      ask(`${world.network.providerUrl}/api/services/fileinfo`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ did, serviceId: 'access' }),
      })
    await eventually(async () => (await info()).text.includes('"contentLength":"5"'))
  })

  it('keeps its old files after the new ones, whose locations nobody learns', async () => {
    const { storage } = world
    const url = (name: string, bytes: string) => ({ ...market.file, url: storage.file(name, Buffer.from(bytes)) })
    const [first, second, third] = [url('/v1.csv', '1'), url('/v2.csv', '22'), url('/v3.csv', '333')]
    const asset = await owner.tidegate.publish({ ...market.request, files: [{ ...first, name: 'tides.csv' }] })
    await served(world.network.providerUrl, asset)
    const buyer = await market.person()
    await buyer.tidegate.buy(asset.did)
    const textOf = async (at: number) => (await (await buyer.tidegate.download(asset.did, { file: at })).blob()).text()
    const sizes = async () => (await owner.tidegate.asset(asset.did)).services[0]?.files.map(({ size }) => size)
    const version = (object: typeof market.file) =>
      owner.tidegate.update(asset.did, { files: [{ ...object, name: 'tides.csv' }], keepOld: true })
    expect((await version(second)).transactions).toHaveLength(1)
    await eventually(async () => String(await sizes()) === '2,1')
    const releaseNow = async () => (await owner.tidegate.asset(asset.did)).services[0]?.release
    expect(await releaseNow()).toMatchObject({ number: 2, files: 2, bytes: 3, formats: ['csv'] })
    await owner.tidegate.update(asset.did, { notes: 'Hours of two days' })
    await eventually(async () => (await releaseNow())?.notes === 'Hours of two days')
    expect(await releaseNow()).toMatchObject({ number: 2, files: 2 })
    expect((await owner.tidegate.update(asset.did, { notes: 'Hours of two days' })).transactions).toEqual([])
    await version(third)
    await eventually(async () => String(await sizes()) === '3,2,1')
    // the order of the first version opens all of them
    expect(await Promise.all([0, 1, 2].map(textOf))).toEqual(['333', '22', '1'])
    // a present file is repeated: its absence would show whether its location was guessed
    await version(third)
    await eventually(async () => String(await sizes()) === '3,3,2,1')
    await owner.tidegate.update(asset.did, { files: [first] })
    await eventually(async () => String(await sizes()) === '1')
    expect(await releaseNow()).toEqual({
      ...{ number: 5, date: expect.any(Date), files: 1, bytes: 1, formats: ['csv'] },
    })
    const found = async (options: object) =>
      (await owner.tidegate.search({ owner: owner.address, ...options })).assets.map(({ did }) => did)
    expect(await found({ format: 'csv', bytes: { most: 1 }, license: 'All rights reserved' })).toContain(asset.did)
    for (const other of [{ format: 'pdf' }, { bytes: { least: 2 } }, { license: 'all rights' }])
      expect(await found({ format: 'csv', ...other })).not.toContain(asset.did)
    await expect(owner.tidegate.update(asset.did, { keepOld: true })).rejects.toMatchObject({ code: 'BAD_REQUEST' })
  })

  it('leaves links to the files that they were made for, and ends those of replaced ones (B2)', async () => {
    const { storage } = world
    const file = (name: string) => ({ ...market.file, url: storage.file(`/${name}`, Buffer.from(name)), name })
    const [a, b, c] = [file('a.csv'), file('b.csv'), file('c.csv')]
    const asset = await owner.tidegate.publish({ ...market.request, files: [a, b] })
    await served(world.network.providerUrl, asset)
    const { tidegate } = await market.person()
    await tidegate.buy(asset.did)
    const linkOf = async (more: object) => (await tidegate.link(asset.did, more)).url
    const links = await Promise.all([linkOf({ file: 0 }), linkOf({ file: 1 }), linkOf({ archive: true })])
    const read = async (link: string) => {
      const { status, text } = await ask(link)
      return status === 200 ? text : `${status} ${JSON.parse(text).code}`
    }
    expect(await Promise.all(links.slice(0, 2).map(read))).toEqual(['a.csv', 'b.csv'])
    // the second file comes first, under another name, and the first one is replaced
    await owner.tidegate.update(asset.did, { files: [{ ...b, name: 'renamed.csv' }, c] })
    await eventually(async () => (await owner.tidegate.asset(asset.did)).services[0]?.files[0]?.name === 'renamed.csv')
    const gone = '410 LINK_FILE_GONE'
    expect(await Promise.all(links.map(read))).toEqual([gone, 'b.csv', gone])
    // a client with a wallet does not take the file that has the number now
    const resumed = tidegate.download(asset.did, { file: 0, link: links[0] as string })
    await expect(resumed).rejects.toMatchObject({ code: 'LINK_FILE_GONE' })
    expect((await ask(links[0] as string)).text).not.toContain(storage.origin)
    await owner.tidegate.update(asset.did, { files: [a, b] })
    await eventually(async () => (await read(links[0] as string)) === 'a.csv')
  })

  it('has single files replaced, renamed and removed, and links follow the renamed one', async () => {
    const { storage } = world
    const file = (name: string) => ({ ...market.file, url: storage.file(`/b5/${name}`, Buffer.from(name)), name })
    const [a, b, c, d] = [file('a.csv'), file('b.csv'), file('c.csv'), file('d.csv')]
    const asset = await owner.tidegate.publish({ ...market.request, files: [a, b, c] })
    await served(world.network.providerUrl, asset)
    const { tidegate } = await market.person()
    await tidegate.buy(asset.did)
    const links = await Promise.all([0, 1, 2].map(async (at) => (await tidegate.link(asset.did, { file: at })).url))
    const read = async (link: string) => {
      const { status, text } = await ask(link)
      return status === 200 ? text : `${status} ${JSON.parse(text).code}`
    }
    const { filesVersion } = (await owner.tidegate.asset(asset.did)).services[0] ?? {}
    const edits = [{ index: 0, remove: true } as const, { index: 1, name: '2026/b.csv' }, { index: 2, file: d }]
    const change = (keepOld: FileEdit[]) => owner.tidegate.update(asset.did, { files: [], keepOld, filesVersion })
    expect((await change(edits)).transactions).toHaveLength(1)
    const names = async () => (await owner.tidegate.asset(asset.did)).services[0]?.files.map(({ name }) => name)
    await eventually(async () => String(await names()) === '2026/b.csv,c.csv')
    expect(await Promise.all(links.map(read))).toEqual(['410 LINK_FILE_GONE', 'b.csv', '410 LINK_FILE_GONE'])
    const got = await tidegate.download(asset.did, { file: 1 })
    expect(await (await got.blob()).text()).toBe('d.csv')
    // indices of the version before
    await expect(change([{ index: 0, remove: true }])).rejects.toMatchObject({ code: 'FILES_CHANGED' })
    const missing = { ...d, url: `${d.url}x` }
    await expect(
      owner.tidegate.update(asset.did, { files: [], keepOld: [{ index: 0, file: missing }] }),
    ).rejects.toMatchObject({ code: 'FILE_UNAVAILABLE' })
  })

  it('is hidden from searches and shown again, alone or with a change of its document', async () => {
    const { tidegate, address } = owner
    const unlisted = await tidegate.publish({ ...market.request, name: 'Hidden tides', unlisted: true })
    await served(world.network.providerUrl, unlisted)
    const names = async (options: object) =>
      (await tidegate.search(options)).assets.map(({ name, state }) => [name, state])
    expect(await names({ text: 'Hidden tides' })).toEqual([])
    expect(await names({ owner: address, text: 'Hidden' })).toEqual([['Hidden tides', 'unlisted']])
    // bought by its DID all the same
    await (await market.person()).tidegate.buy(unlisted.did)
    expect((await tidegate.update(unlisted.did, { state: 'active', license: 'CC0-1.0' })).transactions).toHaveLength(1)
    await market.known(unlisted.did, { 'nft.state': 0, 'metadata.license': 'CC0-1.0' })
    expect(await names({ text: 'Hidden tides' })).toEqual([['Hidden tides', 'active']])
    expect((await tidegate.update(unlisted.did, { state: 'unlisted' })).changed).toEqual(['state'])
    await market.known(unlisted.did, { 'nft.state': 5 })
  })

  it('is not changed by the same fields, and sends nothing', async () => {
    const { did, publisher } = await market.sale({ price: 'free' })
    const same = {
      tags: ['tide'],
      access: [publisher.address],
      timeout: 60,
      serviceName: 'All',
      price: 'free' as const,
    }
    const { changed } = await publisher.tidegate.update(did, same)
    expect(changed).toEqual(['tags', 'serviceName', 'timeout', 'access'])
    await market.known(did, { 'metadata.tags': ['tide'] })
    const before = await market.sent(publisher)
    const again = { ...same, access: [publisher.address.toLowerCase() as Address], state: 'active' as const }
    expect(await publisher.tidegate.differences(did, again)).toEqual([])
    expect(await publisher.tidegate.update(did, again)).toEqual({ did, changed: [], transactions: [] })
    expect(await market.sent(publisher)).toBe(before)
    expect(await publisher.tidegate.differences(did, { tags: ['sea'] })).toEqual([
      { field: 'tags', before: ['tide'], after: ['sea'] },
    ])
  })

  it('is revoked and restored; the same state takes no transaction', async () => {
    expect((await owner.tidegate.setState(did, 'revoked')).transactions).toHaveLength(1)
    expect((await owner.tidegate.setState(did, 'revoked')).transactions).toHaveLength(0)
    await market.known(did, { 'nft.state': 3 })
    await owner.tidegate.setState(did, 'active')
    await market.known(did, { 'nft.state': 0 })
  })

  it('cannot be changed by others, who pay nothing for the attempt', async () => {
    const other = await market.person()
    const refused = { code: 'NOT_PERMITTED', message: expect.stringContaining(owner.address), transactions: [] }
    await expect(other.tidegate.update(did, { name: 'Mine' })).rejects.toMatchObject(refused)
    await expect(other.tidegate.setState(did, 'revoked')).rejects.toMatchObject(refused)
    expect(await market.sent(other)).toBe(0)
  })
})
