import { execFile, spawn, spawnSync } from 'node:child_process'
import { createHash, createHmac } from 'node:crypto'
import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { providerKey } from '../packages/protocol/src/crypto/keys.js'
import { freePort } from './helpers/backends.js'
import { owned } from './helpers/children.js'
import { newFolder } from './helpers/cleanup.js'
import { eventually } from './helpers/eventually.js'
import { isOfSession, pages, REPOSITORY } from './helpers/pages.js'
import { ask, createToken, freshNonce } from './helpers/requests.js'
import { newWallet } from './helpers/wallet.js'
import { World } from './helpers/world.js'

const CONTENT = Buffer.from('hour,height\n'.repeat(500))
const run = promisify(execFile)

/** Runs every command and program of the pages that calls a provider, unmodified, against a real one. */
describe('commands of the pages', () => {
  const folder = newFolder()
  const blocks = pages().flatMap(({ path, blocks }) => blocks.map((block) => ({ ...block, path })))
  // test/deploy/ runs the page of operators, test/docs-sessions.tools.test.ts what builds on the blocks before it, and
  // packages/client/test/readme.test.ts the examples of the client library
  const ELSEWHERE = [
    'docs/operations.md',
    'packages/client/README.md',
    'docs/clients/tidegate-client.md',
    'docs/webhooks.md',
  ]
  const alone = blocks.filter(({ path, text, file }) => !isOfSession({ path, text, file }) && !ELSEWHERE.includes(path))
  const curls = alone.filter(({ language, text }) => language === 'sh' && text.includes('curl '))
  // the blocks under one heading are one program
  const programs: { path: string; heading: string; text: string; at: number }[] = []
  for (const { path, heading, text } of alone.filter(({ language }) => language === 'js')) {
    const last = programs.at(-1)
    // the block of 4.x continues the program of 3.x
    const whole = heading === '4.x' ? `${last?.text}${text}` : text
    if (last?.path === path && last.heading === heading) last.text += text
    else programs.push({ path, heading, text: whole, at: programs.length })
  }
  /** Charges a provider fee. */
  const seller = newWallet()
  /** The receiver of docs/webhooks.md. */
  const receiver = { url: '', secret: 's'.repeat(32), printed: '' }
  let world: World
  let variables: Record<string, string>
  const own: Record<string, string> = {}

  beforeAll(async () => {
    const PROVIDER_FEES = JSON.stringify([{ publisher: seller.address, flat: '1000' }])
    await startReceiver()
    const webhooks = { WEBHOOK_URL: receiver.url, WEBHOOK_SECRET: receiver.secret }
    world = await World.start({ CATALOGUE: 'public', PROVIDER_FEES, ...webhooks })
    const { providerUrl: PROVIDER, chainId } = world.network
    const url = world.storage.file('/tides.csv', CONTENT)
    const { asset, buyer, txId: TX } = await world.sold(url)
    const token = await createToken(PROVIDER, providerKey(buyer.privateKey), freshNonce())
    variables = {
      PROVIDER,
      RPC_URL: world.network.rpcUrl,
      ADDRESS_FILE: world.local.addressFile,
      CHAIN_ID: `${chainId}`,
      DID: asset.did,
      SERVICE: asset.ddo.services[0]?.id as string,
      ADDRESS: buyer.address,
      PRIVATE_KEY: buyer.privateKey,
      TX,
      TOKEN: token.json.token as string,
      FILE_URL: url,
    }
    const files = [{ type: 'url', url, method: 'GET' }]
    own['files.json'] = JSON.stringify({ nftAddress: asset.nft, datatokenAddress: asset.datatoken, files })
    own['ddo.json'] = JSON.stringify(asset.ddo)
  })

  async function startReceiver(): Promise<void> {
    const program = blocks.find(({ file }) => file === 'receiver.mjs')?.text as string
    writeFileSync(join(folder, 'receiver.mjs'), program)
    const PORT = `${await freePort()}`
    const env = { PATH: process.env.PATH, PORT, WEBHOOK_SECRET: receiver.secret }
    const child = owned(
      spawn(process.execPath, [join(folder, 'receiver.mjs')], { env, stdio: ['ignore', 'pipe', 'inherit'] }),
    )
    child.stdout.on('data', (text) => {
      receiver.printed += text
    })
    receiver.url = `http://127.0.0.1:${PORT}`
  }

  /** The library of each generation with its release of ethers, by the heading of its program. */
  const LIBRARIES: Record<string, Record<string, string>> = {
    '3.x': { '@oceanprotocol/lib': '@oceanprotocol/lib', ethers: 'ethers' },
    '4.x': { '@oceanprotocol/lib': 'ocean-lib-4', ethers: 'ethers' },
    '8.x': { '@oceanprotocol/lib': 'ocean-lib-8', ethers: 'ocean-lib-8/node_modules/ethers' },
  }

  /** Links into a folder what its reader has installed: some packages, or all of this repository's. */
  function install(cwd: string, packages?: Record<string, string>): void {
    const modules = join(cwd, 'node_modules')
    if (!packages) {
      symlinkSync(join(REPOSITORY, 'node_modules'), modules)
      return
    }
    mkdirSync(join(modules, '@oceanprotocol'), { recursive: true })
    for (const [name, path] of Object.entries(packages))
      symlinkSync(realpathSync(join(REPOSITORY, 'node_modules', path)), join(modules, name))
  }

  /** Runs a program in a folder with the reader's files. Returns what it printed and the files that it wrote. */
  async function outcomeOf(
    name: string,
    program: string,
    args: string[],
    before: Record<string, string | Buffer>,
    packages?: Record<string, string>,
    changed: Record<string, string> = {},
  ) {
    const cwd = join(folder, name)
    mkdirSync(cwd)
    for (const [file, content] of Object.entries({ ...own, ...before })) writeFileSync(join(cwd, file), content)
    install(cwd, packages)
    const env = { PATH: process.env.PATH, ...variables, ...changed }
    const { stdout } = await run(program, args, { cwd, env })
    return { stdout, written: (file: string) => readFileSync(join(cwd, file)) }
  }

  it('exist on the pages', () => {
    expect(curls.length).toBeGreaterThan(8)
    expect(programs).toHaveLength(6)
  })

  it.skipIf(spawnSync('curl', ['--version']).error).each(curls.map((block, at) => ({ ...block, at })))(
    '$path, $heading: $text',
    async ({ text, at }) => {
      const strict = 'curl() { command curl --fail -sS "$@"; }\n'
      const broken: Record<string, Buffer> = text.includes('-C -') ? { 'tides.csv': CONTENT.subarray(0, 1000) } : {}
      const { stdout, written } = await outcomeOf(`curl-${at}`, 'bash', ['-euc', strict + text], broken)
      if (text.includes('/download?')) expect(written('tides.csv').equals(CONTENT)).toBe(true)
      else expect(stdout).toMatch(/^(\{|\[|0x|<\?xml)/)
      if (text.includes('/fileinfo')) expect(stdout).toContain('"valid":true')
    },
  )

  it.each(programs)('$path, $heading: the program', async ({ text, heading, at }) => {
    const files = { 'program.mjs': text, 'heights.csv': CONTENT }
    const packages = LIBRARIES[heading]
    const outcome = await outcomeOf(`program-${at}`, process.execPath, ['program.mjs'], files, packages)
    for (const [, file = ''] of text.matchAll(/\bwriteFile\('([\w.]+)'/g))
      expect(outcome.written(file).equals(CONTENT), file).toBe(true)
    if (!text.includes('/uploads')) return expect(text).toContain("writeFile('file.bin'")
    const uploaded = await ask(outcome.stdout.trim(), { headers: { AuthToken: variables.TOKEN as string } })
    expect(uploaded.json.sha256).toBe(createHash('sha256').update(CONTENT).digest('hex'))
  })

  it('docs/webhooks.md: the receiver gets the event of an order once, and takes no forged or old one (threat 147)', async () => {
    const { url, secret } = receiver
    const line = `order.created ${variables.DID} ${variables.TX}`
    await eventually(() => receiver.printed.includes(line))
    const now = Math.floor(Date.now() / 1000)
    const signed = (time: number, body: string, key = secret) =>
      `t=${time},v1=${createHmac('sha256', key).update(`${time}.${body}`).digest('hex')}`
    const send = async (body: string, signature: string | undefined) =>
      (await ask(url, { method: 'POST', body, headers: signature ? { 'tidegate-signature': signature } : {} })).status
    const body = JSON.stringify({ id: 'one', type: 'a.new.type', data: { did: 'sent-by-us' } })
    for (const signature of [
      undefined,
      't=,v1',
      `t=1,v1=${'é'.repeat(64)}`,
      signed(now, body, 'x'),
      signed(now - 400, body),
      signed(now, '{}'),
    ])
      expect(await send(body, signature), signature).toBe(400)
    await expect(send('x'.repeat(100_000), signed(now, body))).rejects.toThrow()
    expect([await send(body, signed(now, body)), await send(body, signed(now, body))]).toEqual([204, 204])
    expect(receiver.printed.split('sent-by-us')).toHaveLength(2)
    expect(receiver.printed.split(line)).toHaveLength(2)
  })

  it('docs/clients/contracts.md: the program buys from an exchange, pays the provider fee, and no more than allowed', async () => {
    await world.rpc('anvil_setBalance', [seller.address, '0x56bc75e2d63100000'])
    const publisher = seller.connect(world.provider)
    const { did: DID } = await world.publishUrl(variables.FILE_URL as string, { publisher, pricing: { fixed: '5' } })
    const text = programs.find(({ path }) => path === 'docs/clients/contracts.md')?.text ?? ''
    const PRIVATE_KEY = world.network.accounts[3]?.privateKey as string
    const bought = (name: string, MAX_PRICE: string, MAX_FEE = '1000') =>
      outcomeOf(name, process.execPath, ['program.mjs'], { 'program.mjs': text }, undefined, {
        ...{ DID, PRIVATE_KEY, MAX_PRICE, MAX_FEE },
      })
    await expect(bought('fee', '6000000000000000000', '999')).rejects.toThrow(/the fees are 1000 base units of 0x/)
    await expect(bought('too-dear', '5')).rejects.toThrow(/costs 50\d+ base units of 0x/)
    const { stdout, written } = await bought('exchange', '6000000000000000000')
    expect(stdout).toMatch(/^ordered by 0x[0-9a-f]{64}$/m)
    expect(written('file.bin').equals(CONTENT)).toBe(true)
  })
})
