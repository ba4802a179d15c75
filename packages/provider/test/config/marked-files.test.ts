import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Wallet } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { runHere } from '../../../../test/helpers/command-here.js'
import { ask } from '../../../../test/helpers/requests.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'
import { readAddressFile } from '../../../chain/src/deployments.js'
import { Purgatory } from '../../src/access/rules/purgatory.js'
import { openKeystoreFile } from '../../src/config/keyring.js'
import { loadSettings, singleSetting } from '../../src/config/load.js'

const KEY = `0x${'11'.repeat(32)}`
const crlf = (text: string) => text.replaceAll('\n', '\r\n')

/** The same text as editors and shells write it. */
const FORMS: [string, (text: string) => Buffer][] = [
  ['control: plain', (text) => Buffer.from(text)],
  ['a byte order mark', (text) => Buffer.from(`\ufeff${text}`)],
  ['line ends of Windows', (text) => Buffer.from(crlf(text))],
  ['both', (text) => Buffer.from(`\ufeff${crlf(text)}`)],
  ['UTF-16', (text) => Buffer.from(`\ufeff${crlf(text)}`, 'utf16le')],
  ['UTF-16, the other way round', (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16()],
]

describe.each(FORMS)('files with %s', (_form, written) => {
  let folder: string
  beforeAll(() => {
    folder = newFolder()
  })
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), written(text))
    return join(folder, name)
  }

  it('are read as settings and secrets', () => {
    const key = file('key', `${KEY}\n`)
    const text = `NETWORK_URL='{\n"1": "http://a",\n"137": "http://b"}'\nPROVIDER_PRIVATE_KEY_FILE=${key}\nHOST="::1" # x\nPORT=8031\n`
    const settings = loadSettings({}, file('env', text))
    expect([...settings.NETWORK_URL.byChain.keys()]).toEqual([1, 137])
    expect(settings).toMatchObject({ HOST: '::1', PORT: 8031 })
    expect(settings.PROVIDER_PRIVATE_KEY.all?.address).toMatch(/^0x/)
    expect(singleSetting('KEYSTORE_PASSWORD', {}, file('one', 'KEYSTORE_PASSWORD=tide\nPORT=1\n'))).toBe('tide')
    expect(() => loadSettings({}, file('wrong', `PORTS=1\n${text}`))).toThrow(/Line 1 of .*Did you mean PORT|no such/)
  })

  it('are read as keystores, addresses and lists', async () => {
    const wallet = new Wallet(KEY)
    const keystore = JSON.stringify(JSON.parse(await wallet.encrypt('tide', { scrypt: { N: 2 } })), null, 2)
    expect((await openKeystoreFile(file('keystore.json', keystore), 'tide')).address).toBe(wallet.address)
    const networks = { tides: { chainId: 5, ERC721Factory: wallet.address, startBlock: 3 } }
    expect(readAddressFile(file('address.json', JSON.stringify(networks, null, 1)))).toMatchObject([{ chainId: 5 }])
    const did = `did:op:${'0'.repeat(64)}`
    const assets = file('purgatory.json', JSON.stringify([{ did, reason: 'x' }], null, 1))
    const purgatory = new Purgatory({ assets, accounts: undefined, interval: 1e6 } as never)
    await purgatory.start()
    purgatory.stop()
    // both DIDs of the asset
    expect(purgatory.dids().sort()).toEqual([did, did.replace('op:', 'ope:')])
  })
})

it('settings whose lines end as on Windows, passed on by another program, and JSON with a mark', () => {
  const own = {
    PORT: '8031\r',
    NETWORK_URL: '\ufeff{"1":"http://a"}\r',
    PROVIDER_PRIVATE_KEY: `${KEY}\r`,
    LOG_LEVEL: '\r',
  }
  expect(loadSettings(own)).toMatchObject({ PORT: 8031, LOG_LEVEL: loadSettings({ ...own, LOG_LEVEL: '' }).LOG_LEVEL })
})

describe('on the command line and over HTTP', () => {
  let world: World
  let home: Home
  beforeAll(async () => {
    world = await World.start()
    home = makeHome()
  })

  it.each(FORMS)('are read as descriptors, wallets, passwords and what `use` keeps: %s', async (_form, written) => {
    const file = (name: string, text: string) => {
      const path = join(home.folder, name)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(path, written(text), { mode: 0o600 })
      return path
    }
    const { providerUrl, rpcUrl } = world.network
    const somebody = await world.somebody()
    const wallet = file('wallet.json', await somebody.encrypt('a long password', { scrypt: { N: 2 } }))
    const object = JSON.stringify(
      { type: 'url', url: world.storage.file('/tides.csv', Buffer.from('0,1\n')), method: 'GET' },
      null,
      2,
    )
    // `use` reads only its own form of text
    if (!_form.startsWith('UTF-16'))
      file('config/tidegate/config.json', JSON.stringify({ provider: providerUrl, rpc: rpcUrl }, null, 2))
    const settings = {
      ...home.environment,
      ...(_form.startsWith('UTF-16') ? { TIDEGATE_PROVIDER: providerUrl, TIDEGATE_RPC: rpcUrl } : {}),
      TIDEGATE_PASSWORD_FILE: file('password', 'a long password\n'),
    }
    const args = [
      'publish',
      '--descriptor',
      file('object.json', object),
      '--name',
      'Tides',
      '--free',
      '--keystore',
      wallet,
      '--yes',
    ]
    const { status, stdout, stderr } = await runHere([...args, '--json'], settings)
    expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
    expect(JSON.parse(stdout).did).toMatch(/^did:op:/)
  })

  it.each(FORMS.slice(0, 4))('are read as documents and lists of files: %s', async (_form, written) => {
    const { ddo } = await world.publishUrl(world.storage.file('/a.csv', Buffer.from('0,1\n')))
    const post = (path: string, body: Buffer, type: string) =>
      ask(`${world.network.providerUrl}${path}`, { method: 'POST', headers: { 'content-type': type }, body } as never)
    for (const type of ['application/json', 'application/octet-stream']) {
      const body = written(JSON.stringify(ddo, null, 2))
      expect((await post('/api/aquarius/assets/ddo/validate', body, type)).status).toBe(200)
    }
    const info = JSON.stringify(
      { type: 'url', url: world.storage.file('/b.csv', Buffer.from('0,1\n')), method: 'GET' },
      null,
      1,
    )
    const { status, json } = await post('/api/services/fileinfo', written(info), 'application/json')
    expect([status, json]).toMatchObject([200, [{ valid: true }]])
  })
})
