import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'

/** New versions of assets, and their states, as scripts use them. */
describe('the commands that change an asset', () => {
  let world: World
  let home: Home
  beforeAll(async () => {
    world = await World.start()
    home = makeHome()
  })
  afterAll(async () => {
    await world.close()
    home.remove()
  })

  const at = (name: string) => join(home.folder, name)
  async function run(...args: string[]) {
    const { providerUrl, rpcUrl } = world.network
    const here = { TIDEGATE_PROVIDER: providerUrl, TIDEGATE_RPC: rpcUrl, XDG_STATE_HOME: at('state') }
    const { status, stdout, stderr } = await runHere([...args, '--json'], { ...home.environment, ...here })
    return { status, stderr, answer: JSON.parse(stdout) }
  }
  async function answer(...args: string[]) {
    const { status, stderr, answer } = await run(...args)
    expect(status, stderr).toBe(0)
    return answer
  }
  const owner = (...args: string[]) => run(...args, '--account', '1')
  const changed = (...args: string[]) => answer(...args, '--account', '1', '--yes')
  const file = (name: string, text: string) => {
    writeFileSync(at(name), text)
    return at(name)
  }
  const published = async (...more: string[]): Promise<string> =>
    (await changed('publish', file('v1.csv', 'one'), '--name', 'Tide tables', ...more)).did

  it('replace its files, for buyers with an order at once, and keep the old ones', async () => {
    const did = await published('--price', '5')
    const { order } = await answer('buy', did, '--account', '2', '--yes')
    const got = async (at: string) => {
      const one = await answer('get', did, '--file', at, '-o', home.folder, '--force', '--account', '2', '--yes')
      expect(one).toMatchObject({ order, bought: false })
      return readFileSync(one.path, 'utf8')
    }
    const version = ['update', did, '--files', file('v2.csv', 'second'), '--keep-old']
    const asked = await owner(...version)
    expect(asked).toMatchObject({ status: 3, answer: { error: { code: 'NOT_CONFIRMED' } } })
    expect(asked.stderr).toMatch(/file 0 +\S*v2\.csv, from this machine\n +The present files stay, after these\./)
    const { transactions, ...rest } = await changed(...version)
    expect(rest).toEqual({ did, changed: ['files'] })
    expect(transactions).toHaveLength(1)
    expect([await got('0'), await got('1')]).toEqual(['second', 'one'])
    // what goes is named before anything is sent (B4)
    const replacing = await owner('update', did, '--files', file('v3.csv', 'third'))
    expect(replacing.stderr).toMatch(/They replace all present files\.\n +removed +2: v2\.csv, v1\.csv/)
    await changed('update', did, '--files', file('v3.csv', 'third'), world.storage.file('/b.csv', Buffer.from('more')))
    expect([await got('0'), await got('1')]).toEqual(['third', 'more'])
    const missing = await owner('update', did, '--files', at('no.csv'), '--yes')
    expect(missing).toMatchObject({ status: 2, answer: { error: { code: 'USAGE' } } })
    expect(await owner('update', did, '--keep-old', '--yes')).toMatchObject({ status: 2 })
  })

  it('change its price from free to paid, to another token, and back', async () => {
    const did = await published('--free')
    const { MockUSDC } = world.network.addresses
    const total = async () => (await answer('quote', did, '--account', '3')).total
    expect(await changed('update', did, '--price', '5')).toMatchObject({ changed: ['price'] })
    expect(await total()).toMatchObject([{ amount: '5.005', symbol: 'OCEAN' }])
    const asked = await owner('update', did, '--price', `2:${MockUSDC}`)
    expect(asked.status).toBe(3)
    expect(asked.stderr).toMatch(/price +5 OCEAN\n +becomes +2 USDC/)
    await changed('update', did, '--price', `2:${MockUSDC}`)
    expect(await total()).toMatchObject([{ amount: '2.004', symbol: 'USDC' }])
    await changed('update', did, '--free')
    expect(await total()).toEqual([])
    expect(await owner('update', did, '--free', '--price', '1', '--yes')).toMatchObject({ status: 2 })
  })

  it('send nothing without a difference, and show what they replace', async () => {
    const did = await published('--free', '--tag', 'tides', '--tag', 'sea')
    const blocks = () => world.provider.getBlockNumber()
    const before = await blocks()
    const same = ['update', did, '--tag', 'tides', '--tag', 'sea', '--free', '--listed', '--allow-everybody']
    expect(await answer(...same, '--account', '1')).toEqual({ did, changed: [], transactions: [] })
    const asked = await owner('update', did, '--tag', 'moon', '--timeout', '1d')
    expect(asked.status).toBe(3)
    expect(asked.stderr).toMatch(/tags +tides, sea\n +becomes +moon/)
    expect(asked.stderr).toMatch(/timeout +forever\n +becomes +86400 seconds/)
    expect(await blocks()).toBe(before)
  })

  it.each([
    ['publish', (_did: string) => ['publish', 'http://127.0.0.1/x', '--name', 'x', '--free']],
    ['update', (did: string) => ['update', did, '--name', 'x']],
    ['revoke', (did: string) => ['revoke', did]],
    ['restore', (did: string) => ['restore', did]],
    ['buy', (did: string) => ['buy', did]],
    ['get', (did: string) => ['get', did, '-o', at('never')]],
  ])('%s sends nothing without a terminal and without --yes', async (_, args) => {
    const did = await published('--free')
    const before = await world.provider.getBlockNumber()
    const { status, answer, stderr } = await owner(...args(did))
    expect({ status, answer }).toMatchObject({ status: 3, answer: { error: { code: 'NOT_CONFIRMED' } } })
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^tidegate: .* no terminal .*--yes/)
    expect(await world.provider.getBlockNumber()).toBe(before)
  })

  it('list assets in every state with their names, and restore them', async () => {
    const account = ['--account', '4']
    const make = async (name: string, ...more: string[]): Promise<string> => {
      const url = world.storage.file(`/${createHash('md5').update(name).digest('hex')}`, Buffer.from(name))
      return (await answer('publish', url, '--name', name, '--free', ...more, ...account, '--yes')).did
    }
    const [sold, revoked, retired] = [await make('Sold'), await make('Revoked'), await make('Retired')]
    const unlisted = await make('Unlisted', '--unlisted')
    await answer('revoke', revoked, ...account, '--yes')
    await answer('revoke', retired, '--retire', ...account, '--yes')
    const states = async () => {
      const { assets, total, incomplete } = await answer('assets', ...account)
      expect({ total, incomplete }).toEqual({ total: assets.length, incomplete: false })
      return assets.map(({ did, name, state }: Record<string, string>) => [did, name, state])
    }
    // assets of one second have no order
    expect((await states()).sort()).toEqual(
      [
        [unlisted, 'Unlisted', 'unlisted'],
        [retired, 'Retired', 'retired'],
        [revoked, 'Revoked', 'revoked'],
        [sold, 'Sold', 'active'],
      ].sort(),
    )
    const names = async () => (await answer('search')).assets.map(({ name }: { name: string }) => name)
    expect(await names()).not.toContain('Unlisted')
    for (const did of [revoked, retired, unlisted]) await answer('restore', did, ...account, '--yes')
    await answer('update', sold, '--unlisted', ...account, '--yes')
    expect((await states()).map(([, name, state]: string[]) => `${name} ${state}`).sort()).toEqual([
      'Retired active',
      'Revoked active',
      'Sold unlisted',
      'Unlisted active',
    ])
    expect(await names()).toContain('Unlisted')
    expect(await names()).not.toContain('Sold')
    await answer('update', sold, '--listed', ...account, '--yes')
    expect(await names()).toContain('Sold')
  })
})
