import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AssetFile } from '@tidegate/client'
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
    expect(replacing.stderr).toMatch(
      /They replace all present files\.\n +added +1: v3\.csv\n +removed +2: v2\.csv, v1\.csv/,
    )
    await changed('update', did, '--files', file('v3.csv', 'third'), world.storage.file('/b.csv', Buffer.from('more')))
    expect([await got('0'), await got('1')]).toEqual(['third', 'more'])
    const missing = await owner('update', did, '--files', at('no.csv'), '--yes')
    expect(missing).toMatchObject({ status: 2, answer: { error: { code: 'USAGE' } } })
    expect(await owner('update', did, '--keep-old', '--yes')).toMatchObject({ status: 2 })
  })

  it('replace, remove and rename single files, which buyers see at once', async () => {
    const tree = ['a=b.csv', '2026/01.csv', '2026/02.csv', '2026/03.csv'].map((name) => join('tree', name))
    mkdirSync(at('tree/2026'), { recursive: true })
    for (const name of tree) file(name, name)
    const { did } = await changed('publish', at('tree'), '--name', 'Folder', '--free')
    const files = async () =>
      (await answer('show', did)).services[0].files.map(({ name, size }: AssetFile) => `${name} ${size}`)
    expect(await files()).toEqual(['2026/01.csv 16', '2026/02.csv 16', '2026/03.csv 16', 'a=b.csv 12'])
    const edits = [
      ...['--replace', `2026/02.csv=${file('new=1.csv', 'new')}`, '--remove', '2026/01.csv'],
      ...['--rename', 'a=b.csv=2026/01.csv', '--rename', '2=2026/03 final.csv'],
    ]
    const asked = await owner('update', did, ...edits)
    expect(asked.status).toBe(3)
    expect(asked.stderr).toMatch(
      /2026\/02\.csv becomes \S+new=1\.csv.*\n +replaced +1: 2026\/02\.csv\n +renamed +2: 2026\/03\.csv → 2026\/03 final\.csv, a=b\.csv → 2026\/01\.csv\n +removed +1: 2026\/01\.csv/,
    )
    expect((await changed('update', did, ...edits)).transactions).toHaveLength(1)
    expect(await files()).toEqual(['2026/02.csv 3', '2026/03 final.csv 16', '2026/01.csv 12'])
    const known = await owner('update', did, '--replace', `1=${at('tree/a=b.csv')}`)
    expect(known.stderr).toMatch(/2026\/03 final\.csv becomes \S+a=b\.csv, which is there already/)
    const more = ['--files', file('added.csv', '1'), '--keep-old', '--remove', '2026/02.csv', '--description', 'Less']
    expect((await changed('update', did, ...more)).changed.sort()).toEqual(['description', 'files'])
    expect(await files()).toEqual(['added.csv 1', '2026/03 final.csv 16', '2026/01.csv 12'])
    const blocks = await world.provider.getBlockNumber()
    const refusals: [string[], RegExp][] = [
      [
        ['--remove', '2026/O1.csv'],
        /--remove: there is no file 2026\/O1\.csv\. The nearest are: 2026\/01\.csv \(2\), /,
      ],
      [['--remove', '9'], /--remove: there is no file 9\./],
      [['--remove', '2026/01.csv', '--remove', '2'], /--remove: 2026\/01\.csv is named twice/],
      [['--remove', '2', '--rename', '2=x'], /--rename and --remove contradict each other: both name 2026\/01\.csv/],
      [['--replace', `2=${at('added.csv')}`, '--remove', '2'], /--replace and --remove contradict each other/],
      [['--rename', '2=x', '--rename', '2=y'], /--rename: 2026\/01\.csv is named twice/],
      [['--rename', '2=ADDED.csv'], /--rename 2026\/01\.csv: ADDED\.csv is the name of a file that stays/],
      [['--rename', '2=x', '--rename', '1=X'], /is the new name of two files/],
      [['--rename', '2=../x'], /--rename 2026\/01\.csv: \.\.\/x must not contain/],
      [['--rename', '2'], /--rename 2: must be NAME=NEW/],
      [['--replace', `2=${at('none.csv')}`], /--replace 2026\/01\.csv: \S+none\.csv: is neither/],
      [['--replace', `2=${at('tree')}`], /--replace 2026\/01\.csv: \S+tree must be one file/],
      [['--remove', '0', '--remove', '1', '--remove', '2'], /an asset needs one/],
      [['--files', at('added.csv'), '--remove', '0'], /add --keep-old/],
    ]
    for (const [args, reason] of refusals) {
      const { status, answer } = await owner('update', did, ...args, '--yes')
      expect({ status, message: answer.error.message }).toEqual({ status: 2, message: expect.stringMatching(reason) })
    }
    expect(await world.provider.getBlockNumber()).toBe(blocks)
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

  it('each send nothing without a terminal and without --yes', async () => {
    const did = await published('--free')
    const before = await world.provider.getBlockNumber()
    for (const args of [
      ['publish', 'http://127.0.0.1/x', '--name', 'x', '--free'],
      ['update', did, '--name', 'x'],
      ['revoke', did],
      ['restore', did],
      ['buy', did],
      ['get', did, '-o', at('never')],
    ]) {
      const { status, answer, stderr } = await owner(...args)
      expect({ args, status, answer }).toMatchObject({ args, status: 3, answer: { error: { code: 'NOT_CONFIRMED' } } })
      expect(stderr.trimEnd().split('\n').at(-1)).toMatch(/^tidegate: .* no terminal .*--yes/)
    }
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
