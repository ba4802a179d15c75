import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type Ended, program, runCommand } from '../../../../test/helpers/command.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { otherChain } from '../../../../test/helpers/other-chain.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'
import { CuttingProxy } from '../../../client/test/cutting-proxy.js'

const CONTENT = Buffer.from('hour,height\n'.repeat(5000))
const SHA256 = createHash('sha256').update(CONTENT).digest('hex')
const HASH = /^0x[0-9a-f]{64}$/

/** The commands in scripts: without a terminal, with --json, against a real network. */
describe('the commands for people, in scripts', () => {
  let world: World
  let home: Home
  let url: string
  beforeAll(async () => {
    world = await World.start({ HOSTING: 'off' })
    home = makeHome()
    url = world.storage.file('/tides.csv', CONTENT)
  })
  afterAll(async () => {
    await world.close()
    home.remove()
  })

  const at = (name: string) => join(home.folder, name)
  const settings = () => {
    const { providerUrl, rpcUrl } = world.network
    return { ...home.environment, TIDEGATE_PROVIDER: providerUrl, TIDEGATE_RPC: rpcUrl }
  }
  /** Runs a command in this process, or after `inProcesses` in its own. */
  let start = runHere
  const inProcesses = () => {
    start = runCommand
  }
  afterEach(() => {
    start = runHere
  })
  const run = (args: string[], environment: Record<string, string> = {}): Promise<Ended> =>
    start(args, { ...settings(), ...environment })
  /** Returns the object of a successful command. */
  async function answer(...args: string[]) {
    const { status, stdout, stderr } = await run([...args, '--json'])
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout.trimEnd().split('\n')).toHaveLength(1)
    return JSON.parse(stdout)
  }
  /** Returns the error of a failed command: its code and its one line. */
  async function refusal(args: string[], environment: Record<string, string> = {}) {
    const { status, stdout, stderr } = await run([...args, '--json'], environment)
    const told = stderr.split('\n').filter((line) => line.startsWith('tidegate: '))
    expect(told, stderr).toHaveLength(1)
    return {
      status,
      ...(JSON.parse(stdout) as { error: { code: string; message: string; transactions?: string[] } }),
      stderr,
    }
  }
  const published = async (...more: string[]) =>
    (await answer('publish', url, '--name', 'Tide tables', '--account', '1', ...(more.length > 0 ? more : ['--free'])))
      .did as string

  it('publish, find, buy, download, change and revoke', async () => {
    const terms = [
      '--description',
      'By the hour',
      '--author',
      'Harbour office',
      '--license',
      'CC-BY-4.0',
      '--tag',
      'tides',
    ]
    const price = ['--tag', 'harbour', '--price', '5', '--timeout', '30d', '--service-name', 'Access']
    const made = await answer(
      'publish',
      url,
      '--name',
      'Tide tables of the north',
      ...terms,
      ...price,
      '--account',
      '1',
    )
    expect(made).toEqual({
      did: expect.stringMatching(/^did:op:[0-9a-f]{64}$/),
      nft: expect.stringMatching(/^0x/),
      datatoken: expect.stringMatching(/^0x/),
      services: [{ id: expect.any(String), datatoken: made.datatoken }],
      transactions: [expect.stringMatching(HASH), expect.stringMatching(HASH)],
    })
    const { did } = made
    const asset = await answer('show', did)
    expect(asset).toMatchObject({
      did,
      name: 'Tide tables of the north',
      description: 'By the hour',
      author: 'Harbour office',
      license: 'CC-BY-4.0',
      tags: ['tides', 'harbour'],
      state: 'active',
      orders: 0,
      services: [{ name: 'Access', timeout: 2_592_000, price: { type: 'fixed' }, files: [{ size: CONTENT.length }] }],
    })
    const found = await answer('search', 'tables', 'north', '--tag', 'harbour')
    expect(found).toMatchObject({ total: 1, page: 1, more: false, assets: [{ did }] })
    expect(await answer('search', 'tables', 'north', '--free')).toMatchObject({ assets: [] })
    expect(await answer('assets', '--account', '1')).toMatchObject({ address: asset.owner, assets: [{ did }] })

    const quoted = await answer('quote', did, '--account', '2')
    expect(quoted).toMatchObject({ did, service: asset.services[0].id, total: [{ symbol: 'OCEAN', decimals: 18 }] })
    expect(quoted.order).toBeUndefined()
    const bought = await answer('buy', did, '--account', '2', '--yes')
    expect(bought).toMatchObject({ did, reused: false, paid: quoted.total, order: bought.transactions.at(-1) })
    expect(await answer('buy', did, '--account', '2')).toMatchObject({
      reused: true,
      order: bought.order,
      transactions: [],
    })

    // in processes, like scripts
    inProcesses()
    const got = await answer('get', did, '-o', at('tides.csv'), '--account', '2', '--sha256', SHA256)
    const expected = { did, file: 0, path: at('tides.csv'), bytes: CONTENT.length, sha256: SHA256 }
    expect(got).toEqual({ ...expected, order: bought.order, bought: false, transactions: [] })
    expect(readFileSync(at('tides.csv')).equals(CONTENT)).toBe(true)
    expect((await answer('orders', '--account', '2')).orders).toMatchObject([{ tx: bought.order, did }])

    const link = await answer('link', did, '--account', '2')
    start = runHere
    expect(Buffer.from(await (await fetch(link.url)).arrayBuffer()).equals(CONTENT)).toBe(true)
    const changes = ['--description', 'By the minute', '--tag', 'minutes']
    expect(await answer('update', did, '--price', '6', '--account', '1')).toMatchObject({ changed: ['price'] })
    expect(await answer('quote', did, '--account', '3')).toMatchObject({ total: [{ amount: '6.006' }] })
    expect(await answer('update', did, ...changes, '--account', '1')).toMatchObject({
      changed: ['description', 'tags'],
    })
    expect(await answer('revoke', did, '--account', '1')).toMatchObject({ did, state: 'revoked' })
    await world.indexedTo(await world.provider.getBlockNumber())
    expect(await refusal(['get', did, '-o', at('late.csv'), '--account', '2'])).toMatchObject({
      status: 1,
      error: { code: 'ASSET_NOT_CONSUMABLE', message: expect.stringContaining('revoked') },
    })
    expect(await answer('restore', did, '--account', '1')).toMatchObject({ did, state: 'active' })
    await world.indexedTo(await world.provider.getBlockNumber())
    expect(await answer('show', did)).toMatchObject({
      state: 'active',
      description: 'By the minute',
      tags: ['minutes'],
    })
  })

  it('get buys without a terminal only with --yes, even a free asset, and writes nothing before', async () => {
    const did = await published()
    const refused = await refusal(['get', did, '-o', at('free.csv'), '--account', '3'])
    expect(refused).toMatchObject({
      status: 3,
      error: { code: 'NOT_CONFIRMED', message: expect.stringMatching(/--yes$/) },
    })
    expect(existsSync(at('free.csv')) || existsSync(at('free.csv.part'))).toBe(false)
    expect(await answer('orders', '--account', '3')).toMatchObject({ orders: [] })
    expect(await answer('get', did, '-o', at('free.csv'), '--account', '3', '--yes')).toMatchObject({ bought: true })
    const { stdout, status } = await runCommand(['get', did, '-o', '-', '--account', '3'], settings())
    expect({ status, same: Buffer.from(stdout).equals(CONTENT) }).toEqual({ status: 0, same: true })
  })

  it('get and buy pay no more than --max-price, in the token that it names', async () => {
    const did = await published('--price', '5')
    const { units, token } = (await answer('quote', did, '--account', '2')).price.total[0] as Record<string, string>
    const exact = `${BigInt(units as string) / 10n ** 18n}.${(BigInt(units as string) % 10n ** 18n).toString().padStart(18, '0')}`
    const buy = ['buy', did, '--account', '2', '--yes']
    const other = world.network.accounts[4]?.address as string
    for (const cap of ['5', `5:${token}`, `1000:${other}`, '0'])
      for (const command of [buy, ['get', did, '-o', at('dear.csv'), '--account', '2', '--yes']])
        expect(await refusal([...command, '--max-price', cap])).toMatchObject({
          status: 1,
          error: { code: 'PRICE_TOO_HIGH', message: expect.stringContaining('--max-price') },
        })
    expect(existsSync(at('dear.csv')) || existsSync(at('dear.csv.part'))).toBe(false)
    const orders = async () => (await answer('orders', '--account', '2')).orders as { did: string }[]
    expect((await orders()).filter((order) => order.did === did)).toEqual([])
    for (const cap of ['much', '-1', '5:', '5:OCEAN', `5:${token}:1`])
      expect(await refusal([...buy, `--max-price=${cap}`])).toMatchObject({ status: 2, error: { code: 'USAGE' } })
    expect(await answer(...buy, '--max-price', `${exact}:${token}`)).toMatchObject({ reused: false })
    // a valid order costs nothing
    expect(await answer(...buy, '--max-price', '0')).toMatchObject({ reused: true })
  })

  it('get downloads one of several files or all of them, and otherwise refuses', async () => {
    const other = world.storage.file('/more/tides.csv', Buffer.from('other'))
    const did = (await answer('publish', url, other, '--name', 'Two', '--free', '--account', '1')).did
    const args = ['get', did, '--account', '4', '--yes']
    expect(await refusal(args)).toMatchObject({
      status: 2,
      error: { message: expect.stringMatching(/2 files: choose one/) },
    })
    expect(await refusal([...args, '--file', '2'])).toMatchObject({ status: 1, error: { code: 'NO_SUCH_FILE' } })
    expect(await answer(...args, '--file', '1', '-o', at('second.csv'))).toMatchObject({ file: 1, bytes: 5 })
    const folder = at('all')
    mkdirSync(folder)
    const all = await answer(...args, '--all', '-o', folder)
    expect(all.files.map(({ bytes }: { bytes: number }) => bytes)).toEqual([CONTENT.length, 5])
    // both have the same name
    expect(readdirSync(folder).sort()).toEqual(all.files.map(({ path }: { path: string }) => basename(path)).sort())
    expect(readdirSync(folder)).toHaveLength(2)
    for (const { path } of all.files.slice(1)) rmSync(path)
    // completed files of an earlier run are kept, the rest is downloaded
    const { stderr } = await run([...args, '--all', '-o', folder])
    expect(stderr).toMatch(/already exists and is left as it is/)
    const sizes = () => readdirSync(folder).map((name) => statSync(join(folder, name)).size)
    expect(sizes().sort()).toEqual([5, CONTENT.length].sort())
    // neither replaces the other
    expect((await answer(...args, '--all', '-o', folder, '--force')).files).toHaveLength(2)
    expect(sizes().sort()).toEqual([5, CONTENT.length].sort())
  })

  it('get overwrites only with --force, and pays nothing if it cannot write', async () => {
    const did = await published('--price', '1')
    writeFileSync(at('mine.csv'), 'mine')
    const refused = await refusal(['get', did, '-o', at('mine.csv'), '--account', '5', '--yes'])
    expect(refused).toMatchObject({ status: 1, error: { code: 'FILE_EXISTS' } })
    expect(await refusal(['get', did, '-o', at('none/x.csv'), '--account', '5', '--yes'])).toMatchObject({ status: 2 })
    expect(readFileSync(at('mine.csv'), 'utf8')).toBe('mine')
    expect(await answer('orders', '--account', '5')).toMatchObject({ orders: [] })
    // into a folder, under the known name of an earlier run
    const folder = at('taken')
    mkdirSync(folder)
    const { services } = await answer('show', did)
    writeFileSync(join(folder, 'tides.csv'), 'mine')
    writeFileSync(join(folder, 'tides.csv.part.json'), JSON.stringify({ did, service: services[0].id, file: 0 }))
    const into = ['get', did, '-o', folder, '--account', '5', '--yes']
    expect(await refusal(into)).toMatchObject({ status: 1, error: { code: 'FILE_EXISTS' } })
    expect(await answer('orders', '--account', '5')).toMatchObject({ orders: [] })
    // if the name is unknown before, the error names the purchase, and the next call uses it
    rmSync(join(folder, 'tides.csv.part.json'))
    const late = await run([...into, '--json'])
    const [order] = (await answer('orders', '--account', '5')).orders
    const { error } = JSON.parse(late.stdout)
    expect({ status: late.status, ...error }).toMatchObject({ status: 1, code: 'FILE_EXISTS' })
    expect(error.transactions.at(-1)).toBe(order.tx)
    expect(error.message).toContain(`To use order ${order.tx} without another payment`)
    expect(error.message).toMatch(/: tidegate get did:op:[0-9a-f]{64} -o ANOTHER-NAME --account 5$/)
    expect(await answer('get', did, '-o', join(folder, 'other.csv'), '--account', '5')).toMatchObject({
      bought: false,
      order: order.tx,
    })
    expect(readFileSync(join(folder, 'tides.csv'), 'utf8')).toBe('mine')
    const forced = ['get', did, '-o', at('mine.csv'), '--account', '5', '--yes', '--force']
    expect(await answer(...forced)).toMatchObject({ bytes: CONTENT.length })
  })

  it("get pays nothing if the provider's name is taken", async () => {
    const did = await published('--price', '1')
    const state = { STATE_DIR: at('telling') }
    const telling = await startHere(world.beside({ EXPOSE_FILENAME: 'true', ...state }))
    try {
      const environment = { TIDEGATE_PROVIDER: telling.url }
      const names = async () => {
        const { stdout } = await run(['show', did, '--json'], environment)
        return (JSON.parse(stdout).services ?? []).flatMap(({ files }: { files: { name?: string }[] }) =>
          files.map(({ name }) => name),
        )
      }
      await eventually(async () => (await names()).includes('tides.csv'))
      const folder = at('told')
      mkdirSync(folder)
      writeFileSync(join(folder, 'tides.csv'), 'mine')
      const refused = await refusal(['get', did, '-o', folder, '--account', '8', '--yes'], environment)
      expect(refused).toMatchObject({ status: 1, error: { code: 'FILE_EXISTS' } })
      expect(refused.error.transactions).toBeUndefined()
      expect(await answer('orders', '--account', '8')).toMatchObject({ orders: [] })
      expect(readFileSync(join(folder, 'tides.csv'), 'utf8')).toBe('mine')
    } finally {
      await telling.end()
    }
  })

  it('get renames a file with another SHA-256', async () => {
    const did = await published()
    const args = ['get', did, '-o', at('wrong.csv'), '--account', '3', '--yes', '--sha256', '0'.repeat(64)]
    expect(await refusal(args)).toMatchObject({ status: 1, error: { code: 'CHECKSUM' } })
    expect(existsSync(at('wrong.csv'))).toBe(false)
    expect(readFileSync(at('wrong.csv.differs')).equals(CONTENT)).toBe(true)
    // and replaces no other file
    writeFileSync(at('wrong.csv.differs'), 'mine')
    expect(await refusal(args)).toMatchObject({ status: 1, error: { code: 'CHECKSUM' } })
    expect(readFileSync(at('wrong.csv.differs'), 'utf8')).toBe('mine')
    expect(readFileSync(at('wrong.csv.differs-1')).equals(CONTENT)).toBe(true)
  })

  it('signs with a keystore and a password file', async () => {
    const somebody = await world.somebody()
    // cheap to derive
    const keystore = await somebody.encrypt('a long password', { scrypt: { N: 1024 } })
    writeFileSync(at('wallet.json'), keystore)
    writeFileSync(at('password'), 'a long password\n')
    writeFileSync(at('wrong'), 'another\n')
    const args = ['token', 'create', '--keystore', at('wallet.json')]
    const { status, stdout } = await run([...args, '--json'], { TIDEGATE_PASSWORD_FILE: at('password') })
    expect({ status, ...JSON.parse(stdout) }).toMatchObject({
      status: 0,
      address: somebody.address,
      token: /./.exec(stdout) && expect.any(String),
    })
    const { token } = JSON.parse(stdout)
    const deleted = await run(['token', 'delete', token, '--json'], { TIDEGATE_PRIVATE_KEY: somebody.privateKey })
    expect(JSON.parse(deleted.stdout)).toEqual({ deleted: true, address: somebody.address })
    expect(await refusal(args, { TIDEGATE_PASSWORD_FILE: at('wrong') })).toMatchObject({
      status: 2,
      error: { code: 'WRONG_PASSWORD' },
    })
    expect(await refusal(args)).toMatchObject({ status: 2, error: { message: expect.stringMatching(/no terminal/) } })
  })

  it('get resumes after the network was lost', async () => {
    const proxy = await CuttingProxy.before(world.network.providerUrl)
    try {
      const did = await published()
      proxy.cuts = [20_000, 10_000]
      const environment = { TIDEGATE_PROVIDER: proxy.url }
      const { status, stderr } = await run(['get', did, '-o', at('cut.csv'), '--account', '6', '--yes'], environment)
      expect({ status, cut: proxy.cut }, stderr).toEqual({ status: 0, cut: 2 })
      expect(readFileSync(at('cut.csv')).equals(CONTENT)).toBe(true)
    } finally {
      proxy.close()
    }
  })

  it('get keeps the part when the disk is full, and resumes when there is space', async () => {
    const large = Buffer.from('hour,height\n'.repeat(400_000))
    const file = world.storage.file('/large.csv', large)
    const { did } = await answer('publish', file, '--name', 'Large', '--free', '--account', '1')
    const args = [process.execPath, ...program(), 'get', did, '-o', at('full.csv'), '--account', '7', '--yes']
    const env = { ...settings(), PATH: process.env.PATH }
    // in blocks of 1 KiB; a process beyond its limit fails like one on a full disk
    const limited = ['-c', 'ulimit -f 2000; exec "$0" "$@"', ...args]
    const refused = await promisify(execFile)('bash', limited, { env }).catch((error) => error)
    expect(refused).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^tidegate: .*To use order 0x\w+ without another payment, run: tidegate get/m),
    })
    expect(statSync(at('full.csv.part')).size).toBeLessThan(large.length)
    expect(existsSync(at('full.csv'))).toBe(false)
    expect(await answer('get', did, '-o', at('full.csv'), '--account', '7')).toMatchObject({ bought: false })
    expect(readFileSync(at('full.csv')).equals(large)).toBe(true)
  })

  it('a failed process exits with the code of the error', async () => {
    inProcesses()
    expect(await refusal(['get', 'tides', '--account', '1'])).toMatchObject({ status: 2, error: { code: 'USAGE' } })
    const missing = await refusal(['get', `did:op:${'0'.repeat(64)}`, '--account', '1'])
    expect(missing).toMatchObject({ status: 1, error: { code: 'ASSET_NOT_FOUND' } })
    const did = await published()
    expect(await refusal(['buy', did, '--account', '3'])).toMatchObject({ status: 3, error: { code: 'NOT_CONFIRMED' } })
  })

  it('are refused with one line, the right code, and no effect', async () => {
    const poor = await world.somebody()
    const key = { TIDEGATE_PRIVATE_KEY: poor.privateKey }
    const did = await published('--price', '5')
    const away = world.storage.file('/away.csv', CONTENT)
    const gone = (await answer('publish', away, '--name', 'Gone', '--free', '--account', '1')).did
    world.storage.on('/away.csv', (_, response) => void response.writeHead(404).end())
    const allowed = await published('--free', '--allow', world.network.accounts[4]?.address as string)
    const get = (what: string) => ['get', what, '-o', at('never.csv'), '--yes']
    const cases: [string, string[], Record<string, string>, number, string | RegExp][] = [
      ['no funds', get(did), key, 1, 'INSUFFICIENT_TOKENS'],
      ['an asset that there is none of', get(`did:op:${'0'.repeat(64)}`), key, 1, 'ASSET_NOT_FOUND'],
      ['what is no DID', get('tides'), key, 2, 'USAGE'],
      ['a storage that has lost the file', [...get(gone), '--account', '3'], {}, 1, 'FILE_UNAVAILABLE'],
      ['credentials', [...get(allowed), '--account', '3'], {}, 1, 'CREDENTIALS_DENIED'],
      ['a service that there is none of', [...get(did), '--service', 'no'], key, 1, 'UNKNOWN_SERVICE'],
      ['a provider that is down', get(did), { ...key, TIDEGATE_PROVIDER: 'http://127.0.0.1:1' }, 1, 'UNREACHABLE'],
      ['a server that is no provider', ['show', did], { TIDEGATE_PROVIDER: world.storage.origin }, 1, /./],
      ['a node that is down', get(did), { ...key, TIDEGATE_RPC: 'http://127.0.0.1:1' }, 1, /CHAIN/],
      ['a node of another chain', get(did), { ...key, TIDEGATE_RPC: otherChain(world.storage) }, 1, 'WRONG_NETWORK'],
      ['no price', ['publish', url, '--name', 'x', '--account', '1'], {}, 2, 'USAGE'],
      ['two prices', ['publish', url, '--name', 'x', '--free', '--price', '1'], {}, 2, 'USAGE'],
      [
        'a file that cannot be reached',
        ['publish', `${url}.not`, '--name', 'x', '--free', '--account', '1'],
        {},
        1,
        'FILE_UNAVAILABLE',
      ],
      [
        'a file of this machine',
        ['publish', at('password'), '--name', 'x', '--free', '--account', '1'],
        {},
        1,
        'HOSTING_OFF',
      ],
      ['somebody else', ['revoke', did, '--account', '3'], {}, 1, 'NOT_PERMITTED'],
    ]
    writeFileSync(at('password'), 'x')
    const blocks = await world.provider.getBlockNumber()
    for (const [what, args, environment, status, code] of cases) {
      const refused = await refusal(args, environment)
      expect(refused, what).toMatchObject({
        status,
        error: { code: typeof code === 'string' ? code : expect.stringMatching(code) },
      })
      expect(refused.error.transactions, what).toBeUndefined()
    }
    expect(existsSync(at('never.csv')) || existsSync(at('never.csv.part'))).toBe(false)
    expect(await world.provider.getBlockNumber()).toBe(blocks)
  })
})
