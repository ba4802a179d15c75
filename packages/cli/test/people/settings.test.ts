import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { type Dev, startDevHere, startDevOnContracts } from '../../../../test/helpers/dev.js'
import { otherChain } from '../../../../test/helpers/other-chain.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { type Home, makeHome } from '../../../../test/helpers/terminal.js'

/** Provider, node and account of the commands. */
describe('the settings of the commands', () => {
  let dev: Dev
  let home: Home
  let storage: StorageServer
  beforeAll(async () => {
    dev = await startDevHere()
    storage = await StorageServer.start()
  })
  afterAll(async () => {
    await dev.stop()
    await storage.close()
  })
  beforeEach(() => {
    home = makeHome()
  })
  afterEach(() => home.remove())

  const run = (args: string[], environment: Record<string, string> = {}) =>
    runHere(args, { ...home.environment, ...environment })
  const used = async (environment: Record<string, string> = {}) =>
    JSON.parse((await run(['use', '--json'], environment)).stdout)

  it('saves a provider and its node for this user alone, and deletes them', async () => {
    const { providerUrl, rpcUrl } = dev.facts
    const kept = await run(['use', `${providerUrl}/`, '--rpc', rpcUrl, '--json'])
    expect(kept).toMatchObject({ status: 0, stderr: '' })
    const file = join(home.folder, 'config', 'tidegate', 'config.json')
    expect(JSON.parse(kept.stdout)).toEqual({ provider: providerUrl, rpc: rpcUrl, from: 'kept', file })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(home.folder, 'config', 'tidegate'))).toEqual(['config.json'])
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual({ provider: providerUrl, rpc: rpcUrl })
    expect(await used()).toMatchObject({ provider: providerUrl, from: 'kept' })
    expect(await used({ TIDEGATE_PROVIDER: 'https://else.example' })).toMatchObject({
      provider: 'https://else.example',
      from: 'environment',
      // a saved node belongs to its provider
      rpc: null,
    })
    expect((await run(['use', '--forget'])).status).toBe(0)
    expect(existsSync(file)).toBe(false)
    expect(await run(['use'])).toMatchObject({ status: 2, stderr: expect.stringMatching(/no provider is named/) })
  })

  it('shows only the host of a node, as the rest may be a key', async () => {
    const folder = join(home.folder, 'config', 'tidegate')
    mkdirSync(folder, { recursive: true })
    const kept = { provider: 'https://provider.example', rpc: 'https://node.example/v3/0123456789abcdef' }
    writeFileSync(join(folder, 'config.json'), JSON.stringify(kept))
    const { stdout } = await run(['use'])
    expect(stdout).toContain('https://node.example')
    expect(stdout).not.toContain('0123456789abcdef')
  })

  it.each([
    [
      'a server that is no provider',
      () => storage.file('/', Buffer.from('hello')),
      1,
      /no provider|did not answer|answered|Check the URL of the provider/i,
    ],
    ['nobody', () => 'http://127.0.0.1:1', 1, /127\.0\.0\.1:1|reach|answer/i],
    ['what is no URL', () => 'provider.example', 2, /^tidegate: URL: must be a URL/],
    ['a URL with a password', () => 'https://me:secret@provider.example', 2, /^tidegate: URL: must not hold/],
  ])('does not keep %s', async (_, url, status, message) => {
    const ended = await run(['use', url()])
    expect(ended).toMatchObject({ status, stdout: '', stderr: expect.stringMatching(message) })
    expect(ended.stderr).not.toContain('secret')
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(existsSync(join(home.folder, 'config'))).toBe(false)
  })

  it('does not save a node of another chain', async () => {
    const single = await run(['use', dev.facts.providerUrl, '--rpc', otherChain(storage)])
    const message = /^tidegate: --rpc: this node is on chain 1, and the provider serves 8996\./
    expect(single).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(message) })
  })

  it('names a damaged file', async () => {
    const folder = join(home.folder, 'config', 'tidegate')
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, 'config.json'), '{"provider":')
    expect(await run(['use'])).toMatchObject({ status: 2, stderr: expect.stringMatching(/config\.json is damaged/) })
  })

  it('finds a running local network by its note, which goes with it, and none of another user', async () => {
    const own = await startDevOnContracts([], home.environment)
    const { providerUrl, rpcUrl } = own.facts
    expect(await used()).toMatchObject({ provider: providerUrl, rpc: rpcUrl, from: 'dev' })
    const stranger = makeHome()
    expect((await runHere(['use'], stranger.environment)).status).toBe(2)
    stranger.remove()
    const folder = join(home.folder, 'state', 'tidegate')
    expect(readdirSync(folder)).toEqual([`dev-${own.process.pid}.json`])
    expect(statSync(join(folder, `dev-${own.process.pid}.json`)).mode & 0o777).toBe(0o600)
    await own.stop()
    expect(readdirSync(folder)).toEqual([])
  })

  it('ignores the note of a killed network, and asks if several run', async () => {
    const folder = join(home.folder, 'state', 'tidegate')
    mkdirSync(folder, { recursive: true })
    const note = { providerUrl: 'http://127.0.0.1:1', rpcUrl: 'http://127.0.0.1:2', chainId: 8996 }
    const leave = (pid: number) => writeFileSync(join(folder, `dev-${pid}.json`), JSON.stringify({ ...note, pid }))
    // beyond the highest pid of any system
    leave(2_000_000_000)
    expect((await run(['use'])).status).toBe(2)
    expect(readdirSync(folder)).toEqual([])
    leave(process.pid)
    expect(await used()).toMatchObject({ provider: 'http://127.0.0.1:1', from: 'dev' })
    leave(process.ppid)
    expect(await run(['use'])).toMatchObject({ status: 2, stderr: expect.stringMatching(/several local networks/) })
  })

  const KEY = 'ab'.repeat(32)
  it.each([
    ['as an option that there is none of', ['--private-key', KEY]],
    ['in one word with it', [`--private-key=0x${KEY}`]],
    ['in place of a keystore', ['--keystore', `0x${KEY}`]],
    ['in place of an account', [`--account=${KEY}`]],
    ['as a password', ['--password', KEY]],
  ])('takes no key from an argument: %s', async (_, args) => {
    const { status, stdout, stderr } = await run(['buy', `did:op:${'0'.repeat(64)}`, ...args, '--json'])
    expect(status).toBe(2)
    expect(stderr).toMatch(/^tidegate: keys and passwords are not accepted on the command line/)
    expect(JSON.parse(stdout)).toMatchObject({ error: { code: 'USAGE' } })
    expect(stdout + stderr).not.toContain(KEY)
  })

  const here = () => ['--provider', dev.facts.providerUrl, '--rpc', dev.facts.rpcUrl]
  it.each([
    ['no account', {}, [], /no account is named: use --keystore/],
    ['a key that is none', { TIDEGATE_PRIVATE_KEY: `${KEY}00` }, [], /TIDEGATE_PRIVATE_KEY: must be a private key/],
    [
      'a key that is zero',
      { TIDEGATE_PRIVATE_KEY: '00'.repeat(32) },
      [],
      /TIDEGATE_PRIVATE_KEY: must be a private key/,
    ],
    ['an account beyond the last', {}, ['--account', '10'], /the accounts 0 to 9/],
    ['a keystore that is not there', {}, ['--keystore', 'none.json'], /--keystore: none\.json does not exist/],
    ['two accounts', {}, ['--account', '1', '--keystore', 'none.json'], /use only one of them/],
  ])('says what is wrong with %s', async (_, environment: Record<string, string>, args, message) => {
    const { status, stdout, stderr } = await run(['token', 'create', ...here(), ...args], environment)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr).not.toContain(KEY)
  })

  it('accepts accounts of a local network only on a local network', async () => {
    const node = otherChain(storage)
    const args = ['token', 'create', '--provider', dev.facts.providerUrl, '--rpc', node, '--account', '1']
    const message = /^tidegate: --account: works only on local networks \(chain 8996\); this is chain 1\./
    expect(await run(args)).toMatchObject({ status: 2, stdout: '', stderr: expect.stringMatching(message) })
  })
})
