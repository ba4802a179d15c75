import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { otherChain } from '../../../../test/helpers/other-chain.js'
import { startHere } from '../../../../test/helpers/service-here.js'
import { devAccounts } from '../../../dev-network/src/anvil.js'
import { CONTENT, SHA256, useScripts } from './scripts.js'

const HASH = /^0x[0-9a-f]{64}$/

describe('the commands in scripts', () => {
  const office = devAccounts()[1]?.address as string
  const scripts = useScripts({ HOSTING: 'off', VERIFIED_PUBLISHERS: `${office}=Harbour Office` })
  const { answer, at, inProcesses, published, refusal, run } = scripts

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
      scripts.url,
      '--name',
      'Tide tables of the north',
      ...terms,
      ...price,
      '--account',
      '1',
      '--yes',
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

    const got = await answer('get', did, '-o', at('tides.csv'), '--account', '2', '--sha256', SHA256)
    const expected = { did, file: 0, path: at('tides.csv'), bytes: CONTENT.length, sha256: SHA256 }
    expect(got).toEqual({ ...expected, order: bought.order, bought: false, transactions: [] })
    expect(readFileSync(at('tides.csv')).equals(CONTENT)).toBe(true)
    expect((await answer('orders', '--account', '2')).orders).toMatchObject([{ tx: bought.order, did }])

    const link = await answer('link', did, '--for', '2d', '--account', '2')
    expect((Date.parse(link.expires) - Date.now()) / 86_400_000).toBeCloseTo(2, 1)
    expect(Buffer.from(await (await fetch(link.url)).arrayBuffer()).equals(CONTENT)).toBe(true)
    const changes = ['--description', 'By the minute', '--tag', 'minutes']
    expect(await answer('update', did, '--price', '6', '--account', '1', '--yes')).toMatchObject({ changed: ['price'] })
    expect(await answer('quote', did, '--account', '3')).toMatchObject({ total: [{ amount: '6.006' }] })
    expect(await answer('update', did, ...changes, '--account', '1', '--yes')).toMatchObject({
      changed: ['description', 'tags'],
    })
    expect(await answer('revoke', did, '--account', '1', '--yes')).toMatchObject({ did, state: 'revoked' })
    await scripts.world.indexedTo(await scripts.world.provider.getBlockNumber())
    expect(await refusal(['get', did, '-o', at('late.csv'), '--account', '2'])).toMatchObject({
      status: 1,
      error: { code: 'ASSET_NOT_CONSUMABLE', message: expect.stringContaining('revoked') },
    })
    expect(await answer('restore', did, '--account', '1', '--yes')).toMatchObject({ did, state: 'active' })
    await scripts.world.indexedTo(await scripts.world.provider.getBlockNumber())
    expect(await answer('show', did)).toMatchObject({
      state: 'active',
      description: 'By the minute',
      tags: ['minutes'],
    })
  })

  it('show who sells an asset before what he calls himself', async () => {
    const stranger = devAccounts()[3]?.address as string
    const author = '\u202eHarbour Office, verified by the provider:\n  Seller'
    const publish = ['publish', scripts.url, '--name', 'Plover tables', '--author', author, '--free', '--yes']
    const { did: own } = await answer(...publish, '--account', '1')
    const { did: other } = await answer(...publish, '--account', '3')
    await scripts.world.indexedTo(await scripts.world.provider.getBlockNumber())
    const verified = `Harbour Office, verified by the provider: ${office}`
    const unknown = `${stranger}, NOT from the verified publisher Harbour Office, calls itself "Harbour Office, verified by the provider: Seller"`
    const sellers = async (...args: string[]) => {
      const { stdout, stderr } = await run(args)
      return (stdout + stderr).split('\n').filter((line) => /^ +(Seller|sold by) /.test(line))
    }
    expect(await sellers('show', own)).toEqual([`  Seller     ${verified}`])
    expect(await sellers('show', other)).toEqual([`  Seller     ${unknown}`])
    expect(await sellers('search', 'plover')).toEqual([`    sold by ${unknown}`, `    sold by ${verified}`])
    expect(await sellers('quote', other, '--account', '2')).toEqual([`  Seller       ${unknown}`])
    expect(await sellers('buy', other, '--account', '2', '--yes')).toEqual([`  Seller       ${unknown}`])
    expect(await answer('show', own)).toMatchObject({ seller: { account: office, verified: 'Harbour Office' } })
    expect(await answer('quote', other, '--account', '2')).toMatchObject({
      seller: { account: stranger, imitates: 'Harbour Office' },
    })
  })

  it('publish at a price in a token by its symbol', async () => {
    const { MockUSDC: usdc } = scripts.world.network.addresses
    const did = await published('--price', '2.5:usdc')
    expect(await answer('quote', did, '--account', '2')).toMatchObject({ price: { datatoken: { token: usdc } } })
    const unknown = ['publish', scripts.url, '--name', 'X', '--price', '5:EURX', '--account', '1']
    expect(await refusal(unknown)).toMatchObject({
      status: 1,
      error: { code: 'UNKNOWN_TOKEN', message: expect.stringContaining('OCEAN, DAI, USDC') },
    })
    const wrong = usdc.replace(/[a-f](?=[^a-f]*$)/, (letter: string) => letter.toUpperCase())
    for (const token of ['', '5 x', wrong])
      expect(await refusal([...unknown.slice(0, 4), '--price', `5:${token}`])).toMatchObject({
        status: 2,
        error: { code: 'USAGE', message: expect.stringContaining('--price') },
      })
  })

  it('sell to the members of an access list alone', async () => {
    const [, owner, member, other] = scripts.world.network.accounts.map(({ address }) => address) as string[]
    const create = ['list', 'create', '--name', 'Harbours', member as string, '--account', '1']
    expect(await refusal(create)).toMatchObject({ status: 3, error: { code: 'NOT_CONFIRMED' } })
    const { list } = await answer(...create, '--yes')
    const did = await published('--free', '--allow-list', list)
    const lists = [{ address: list, chainId: 8996 }]
    expect(await answer('show', did)).toMatchObject({ buyers: { accounts: [], lists } })
    const shown = (await run(['show', did])).stdout.split('\n')
    expect(shown[3]).toBe(`  May buy    only invited buyers: members of list ${list}`)
    const buy = (account: string) => ['buy', did, '--account', account, '--yes']
    expect(await refusal(buy('3'))).toMatchObject({
      status: 1,
      error: { code: 'CREDENTIALS_DENIED', message: expect.stringMatching(/^Only for invited buyers/) },
    })
    expect(await answer(...buy('2'))).toMatchObject({ reused: false })
    const add = ['list', 'add', list, other as string, '--account', '1', '--yes']
    expect(await answer(...add)).toMatchObject({ changed: [other], unchanged: [] })
    // without a question, as nothing is sent
    const again = await run(add.slice(0, -1))
    expect(again).toMatchObject({ status: 0, stderr: expect.stringContaining('nothing was sent') })
    expect(again.stdout).toBe(`${other} is a member already\n`)
    const remove = ['list', 'remove', list, member as string, '--account', '1']
    expect(await refusal(remove)).toMatchObject({ status: 3, error: { code: 'NOT_CONFIRMED' } })
    expect(await answer(...remove, '--yes')).toMatchObject({ changed: [member], transactions: [expect.any(String)] })
    expect(await answer('list', 'show', list)).toMatchObject({ name: 'Harbours', owner, total: 1, members: [other] })
    const wrong = `0x${'aB'.repeat(20)}`
    expect(await refusal(['list', 'add', list, wrong, '--yes'])).toMatchObject({
      status: 2,
      error: { message: expect.stringContaining("'member'") },
    })
  })

  it("get pays nothing if the provider's name is taken", async () => {
    const did = await published('--price', '1')
    const state = { STATE_DIR: at('telling') }
    const telling = await startHere(scripts.world.beside({ EXPOSE_FILENAME: 'true', ...state }))
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

  it('signs with a keystore and a password file', async () => {
    const somebody = await scripts.world.somebody()
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

  it('a failed process exits with the code of the error', async () => {
    const did = await published()
    inProcesses()
    expect(await refusal(['buy', did, '--account', '3'])).toMatchObject({ status: 3, error: { code: 'NOT_CONFIRMED' } })
  })

  it('are refused with one line, the right code, and no effect', async () => {
    const poor = await scripts.world.somebody()
    const key = { TIDEGATE_PRIVATE_KEY: poor.privateKey }
    const did = await published('--price', '5')
    const away = scripts.world.storage.file('/away.csv', CONTENT)
    const gone = (await answer('publish', away, '--name', 'Gone', '--free', '--account', '1', '--yes')).did
    scripts.world.storage.on('/away.csv', (_, response) => void response.writeHead(404).end())
    const allowed = await published('--free', '--allow', scripts.world.network.accounts[4]?.address as string)
    const get = (what: string) => ['get', what, '-o', at('never.csv'), '--yes']
    const cases: [string, string[], Record<string, string>, number, string | RegExp][] = [
      ['no funds', get(did), key, 1, 'INSUFFICIENT_TOKENS'],
      ['an asset that there is none of', get(`did:op:${'0'.repeat(64)}`), key, 1, 'ASSET_NOT_FOUND'],
      ['what is no DID', get('tides'), key, 2, 'USAGE'],
      ['a storage that has lost the file', [...get(gone), '--account', '3'], {}, 1, 'FILE_UNAVAILABLE'],
      ['credentials', [...get(allowed), '--account', '3'], {}, 1, 'CREDENTIALS_DENIED'],
      ['a service that there is none of', [...get(did), '--service', 'no'], key, 1, 'UNKNOWN_SERVICE'],
      ['a provider that is down', get(did), { ...key, TIDEGATE_PROVIDER: 'http://127.0.0.1:1' }, 1, 'UNREACHABLE'],
      ['a server that is no provider', ['show', did], { TIDEGATE_PROVIDER: scripts.world.storage.origin }, 1, /./],
      ['a node that is down', get(did), { ...key, TIDEGATE_RPC: 'http://127.0.0.1:1' }, 1, /CHAIN/],
      [
        'a node of another chain',
        get(did),
        { ...key, TIDEGATE_RPC: otherChain(scripts.world.storage) },
        1,
        'WRONG_NETWORK',
      ],
      ['no price', ['publish', scripts.url, '--name', 'x', '--account', '1'], {}, 2, 'USAGE'],
      ['two prices', ['publish', scripts.url, '--name', 'x', '--free', '--price', '1'], {}, 2, 'USAGE'],
      [
        'a file that cannot be reached',
        ['publish', `${scripts.url}.not`, '--name', 'x', '--free', '--account', '1', '--yes'],
        {},
        1,
        'FILE_UNAVAILABLE',
      ],
      [
        'a file of this machine',
        ['publish', at('password'), '--name', 'x', '--free', '--account', '1', '--yes'],
        {},
        1,
        'HOSTING_OFF',
      ],
      ['somebody else', ['revoke', did, '--account', '3', '--yes'], {}, 1, 'NOT_PERMITTED'],
    ]
    writeFileSync(at('password'), 'x')
    const blocks = await scripts.world.provider.getBlockNumber()
    for (const [what, args, environment, status, code] of cases) {
      const refused = await refusal(args, environment)
      expect(refused, what).toMatchObject({
        status,
        error: { code: typeof code === 'string' ? code : expect.stringMatching(code) },
      })
      expect(refused.error.transactions, what).toBeUndefined()
    }
    expect(existsSync(at('never.csv')) || existsSync(at('never.csv.part'))).toBe(false)
    expect(await scripts.world.provider.getBlockNumber()).toBe(blocks)
  })
})
