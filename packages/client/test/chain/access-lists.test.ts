import { createContext } from '@tidegate/client'
import { type Address, getAddress } from 'viem'
import { beforeAll, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { served } from '../../../../test/helpers/requests.js'
import { factoryOf } from '../../src/lists/access-list.js'
import { market, type Person, useMarket, world } from './market.js'

useMarket()
let owner: Person
beforeAll(async () => {
  owner = await market.person()
})

const strangers = (count: number): Address[] =>
  Array.from({ length: count }, (_, at) => getAddress(`0x${(at + 1).toString(16).padStart(40, '0')}`))

it('lets only its members buy', async () => {
  const [member, other] = [await market.person(), await market.person()]
  const { tidegate } = owner
  const { list, transactions } = await tidegate.createAccessList({ name: 'Harbours', members: [member.address] })
  expect(transactions).toHaveLength(1)
  const url = world.storage.file('/tides.csv', Buffer.from('0:00,3.1\n'))
  const files = [{ type: 'url', url, method: 'GET' }]
  const { did } = await tidegate.publish({ files, name: 'Tides', price: 'free', accessLists: [list] })
  await served(world.network.providerUrl, { did })
  const { chainId } = world.network
  expect(await other.tidegate.asset(did)).toMatchObject({
    buyers: { accounts: [], lists: [{ address: list, chainId }] },
  })
  await expect(other.tidegate.buy(did)).rejects.toMatchObject({ code: 'CREDENTIALS_DENIED', transactions: [] })
  expect(await member.tidegate.buy(did)).toMatchObject({ reused: false })
  const added = await tidegate.addMembers(list, [other.address, member.address, other.address])
  expect(added).toMatchObject({
    changed: [other.address],
    unchanged: [member.address],
    transactions: [expect.any(String)],
  })
  // the provider keeps memberships for a moment
  await eventually(async () => (await other.tidegate.quote(did).catch(({ code }) => code)) !== 'CREDENTIALS_DENIED')
  expect(await other.tidegate.buy(did)).toMatchObject({ reused: false })
  const again = await tidegate.addMembers(list, [other.address])
  expect(again).toEqual({ list, changed: [], unchanged: [other.address], transactions: [] })
  const removed = await tidegate.removeMembers(list, [member.address, strangers(1)[0] as Address])
  expect(removed).toMatchObject({
    changed: [member.address],
    unchanged: strangers(1),
    transactions: [expect.any(String)],
  })
  await eventually(async () => (await member.tidegate.download(did).catch(({ code }) => code)) === 'CREDENTIALS_DENIED')
  expect(await tidegate.accessList(list)).toEqual({
    ...{ address: list, chainId, name: 'Harbours', owner: owner.address, total: 1 },
    ...{ page: 1, members: [other.address], more: false },
  })
  expect(await tidegate.accessListsOf()).toEqual({ lists: [list], incomplete: false })
  await expect(other.tidegate.addMembers(list, [member.address])).rejects.toMatchObject({
    code: 'NOT_PERMITTED',
    message: expect.stringContaining(owner.address),
  })
})

it('is created with many members in few transactions, and read in pages', async () => {
  const { tidegate } = owner
  const members = strangers(120)
  const { list, transactions } = await tidegate.createAccessList({ name: 'Many', members })
  expect(transactions).toHaveLength(3)
  const pages = await Promise.all([1, 2, 3, 4].map((page) => tidegate.accessList(list, { page })))
  expect(pages.map(({ members, more }) => [members.length, more])).toEqual([
    [50, true],
    [50, true],
    [20, false],
    [0, false],
  ])
  expect(pages.flatMap((page) => page.members)).toEqual(members)
})

it.each([
  ['an address with a wrong checksum', `0x${'Ab'.repeat(20)}`, 'whose upper and lower case do not fit'],
  ['text that is no address', '0x12', 'which is no address'],
])('refuses %s, and sends nothing', async (_, wrong, why) => {
  const { tidegate } = owner
  const before = await market.sent(owner)
  const bad = (field: string) => ({ code: 'BAD_REQUEST', message: `${field} contains ${wrong}, ${why}.` })
  const member = wrong as Address
  await expect(tidegate.createAccessList({ name: 'X', members: [member] })).rejects.toMatchObject(bad('members'))
  await expect(tidegate.addMembers(member, [owner.address])).rejects.toMatchObject(bad('list'))
  const request = { files: [{ type: 'url' }], name: 'X', price: 'free' as const }
  await expect(tidegate.publish({ ...request, accessLists: [member] })).rejects.toMatchObject(bad('accessLists'))
  expect(await market.sent(owner)).toBe(before)
})

it('refuses an address without a list, and a network without a factory', async () => {
  const { tidegate, address } = owner
  await expect(tidegate.accessList(address)).rejects.toMatchObject({ code: 'NOT_A_LIST' })
  const request = { files: [{ type: 'url' }], name: 'X', price: 'free' as const }
  await expect(tidegate.publish({ ...request, accessLists: [address] })).rejects.toMatchObject({
    code: 'BAD_REQUEST',
    message: expect.stringContaining('no access list of this chain'),
  })
  const context = createContext({ url: world.network.providerUrl })
  await expect(factoryOf(context, 137)).rejects.toMatchObject({ code: 'NO_LIST_FACTORY' })
})
