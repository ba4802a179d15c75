import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'

/** A provider with a fee by size. Account 0 holds the token of the fee. */
describe('the commands for people, at a fee by size', () => {
  let world: World
  let home: Home
  beforeAll(async () => {
    world = await World.start({ PROVIDER_FEES: JSON.stringify([{ perGiB: String(2 ** 30) }]) })
    home = makeHome()
  })
  afterAll(async () => {
    await world.close()
    home.remove()
  })

  async function answer(...args: string[]) {
    const { providerUrl, rpcUrl } = world.network
    const settings = { ...home.environment, TIDEGATE_PROVIDER: providerUrl, TIDEGATE_RPC: rpcUrl }
    const { status, stdout, stderr } = await runHere([...args, '--account', '0', '--json'], settings)
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    return JSON.parse(stdout)
  }

  it('agree on the files of an order (threat 94)', async () => {
    const urls = [10, 300].map((size) => world.storage.file(`/${size}`, Buffer.alloc(size)))
    const { did } = await answer('publish', ...urls, '--name', 'Two', '--free', '--yes')
    const fee = async (...args: string[]) => (await answer('quote', did, ...args)).total[0]?.units
    expect([await fee(), await fee('--file', '0'), await fee('--file', '1')]).toEqual(['310', '10', '300'])

    const first = await answer('buy', did, '--file', '0', '--yes')
    expect((await answer('quote', did, '--file', '0')).order).toBe(first.order)
    expect([await fee(), await fee('--file', '1')]).toEqual(['310', '300'])
    expect((await answer('orders')).orders).toMatchObject([{ tx: first.order, file: 0 }])
    const got = await answer('get', did, '--file', '0', '-o', join(home.folder, 'first'), '--yes')
    expect(got).toMatchObject({ order: first.order, bought: false, bytes: 10 })

    mkdirSync(join(home.folder, 'all'))
    const all = await answer('get', did, '--all', '-o', join(home.folder, 'all'), '--yes')
    expect(all.bought).toBe(true)
    expect(all.files.map(({ bytes }: { bytes: number }) => bytes)).toEqual([10, 300])
    expect((await answer('quote', did)).order).toBe(all.order)
    expect((await answer('quote', did, '--file', '1')).order).toBe(all.order)
  })
})
