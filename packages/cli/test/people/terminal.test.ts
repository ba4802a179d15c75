import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { runHere } from '../../../../test/helpers/command-here.js'
import { mined } from '../../../../test/helpers/consume.js'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ocean } from '../../../../test/helpers/ocean.js'
import { type Home, makeHome, Terminal } from '../../../../test/helpers/terminal.js'
import { World } from '../../../../test/helpers/world.js'

const CONTENT = Buffer.from('hour,height\n'.repeat(200_000))
const ENTER = '\r'
const CTRL_C = '\u0003'

/** The commands in a pseudo-terminal, as a person uses them. */
describe('the commands in a terminal', () => {
  let world: World
  let home: Home
  let environment: Record<string, string>
  beforeAll(async () => {
    world = await World.start()
    home = makeHome()
    const { providerUrl, rpcUrl } = world.network
    environment = { ...home.environment, TIDEGATE_PROVIDER: providerUrl, TIDEGATE_RPC: rpcUrl }
  })
  afterEach(() => Terminal.endAll())
  afterAll(async () => {
    await world.close()
    home.remove()
  })

  const at = (name: string) => join(home.folder, name)
  const terminal = (...args: string[]) => Terminal.run(args, environment, home.folder)
  async function published(url: string, ...more: string[]): Promise<string> {
    const args = [
      'publish',
      url,
      '--name',
      'Tide tables',
      '--account',
      '1',
      '--yes',
      ...(more.length > 0 ? more : ['--free']),
    ]
    const { stdout, stderr } = await runHere(args, environment)
    expect(stdout, stderr).toMatch(/^did:op:/)
    return stdout.trim()
  }
  const orders = async (account: string) =>
    JSON.parse((await runHere(['orders', '--account', account, '--json'], environment)).stdout).orders as unknown[]

  /** A storage that sends a quarter of a file at once, and the rest on demand. */
  function slowFile(path: string) {
    let goOn = () => {}
    const gate = new Promise<void>((resolve) => {
      goOn = resolve
    })
    const starts: number[] = []
    const url = world.storage.on(path, async (request, response) => {
      const start = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const headers = { 'content-type': 'text/csv', 'accept-ranges': 'bytes', etag: '"v1"' }
      const range = request.headers.range
        ? { 'content-range': `bytes ${start}-${CONTENT.length - 1}/${CONTENT.length}` }
        : {}
      response.writeHead(request.headers.range ? 206 : 200, {
        ...headers,
        ...range,
        'content-length': CONTENT.length - start,
      })
      if (request.method === 'HEAD') return void response.end()
      starts.push(start)
      const end = start + CONTENT.length / 4
      response.write(CONTENT.subarray(start, end))
      await gate
      response.end(CONTENT.subarray(end))
    })
    return { url, goOn, starts }
  }

  it('get shows the total price and asks; no ends it, and yes buys and downloads', async () => {
    const did = await published(world.storage.file('/tides.csv', CONTENT), '--price', '5')
    const no = terminal('get', did, '-o', 'no.csv', '--account', '2')
    await no.shows(/Total +5\.005 OCEAN[\s\S]+Buy it for 5\.005 OCEAN\?/)
    // the default answer is no
    no.type(ENTER)
    expect(await no.ended()).toBe(3)
    expect(no.text).toContain('not bought')
    expect(existsSync(at('no.csv'))).toBe(false)

    const yes = terminal('get', did, '-o', 'yes.csv', '--account', '2')
    await yes.shows(/Buy it for/)
    yes.type('y')
    expect(await yes.ended()).toBe(0)
    expect(yes.text).toMatch(/100%/)
    expect(yes.text).toMatch(/yes\.csv +\d+ bytes/)
    expect(readFileSync(at('yes.csv')).equals(CONTENT)).toBe(true)
    expect(await orders('2')).toHaveLength(1)
  })

  it('ctrl-C at the question ends with 130, and nothing is bought', async () => {
    const did = await published(world.storage.file('/asked.csv', CONTENT))
    const asked = terminal('get', did, '--account', '3')
    await asked.shows(/Order it\?/)
    asked.type(CTRL_C)
    expect(await asked.ended()).toBe(130)
    expect(await orders('3')).toEqual([])
  })

  it('get resumes after ctrl-C and kill -9, and pays once', async () => {
    const file = slowFile('/slow.csv')
    const did = await published(file.url, '--price', '1')
    const args = ['get', did, '-o', 'slow.csv', '--account', '4']
    const size = () => (existsSync(at('slow.csv.part')) ? statSync(at('slow.csv.part')).size : 0)
    const begun = async (...more: string[]) => {
      const least = size() + CONTENT.length / 8
      const command = terminal(...args, ...more)
      await command.shows(/MB\/s|kB\/s|B\/s/)
      await eventually(() => size() >= least)
      return command
    }
    const first = await begun('--yes')
    first.type(CTRL_C)
    expect(await first.ended()).toBe(130)
    expect(first.text).toMatch(new RegExp(`Resume with: tidegate ${args.join(' ')}`))
    const second = await begun()
    second.kill('SIGKILL')
    await second.ended()
    const kept = size()
    expect(existsSync(at('slow.csv'))).toBe(false)
    file.goOn()
    const third = terminal(...args)
    expect(await third.ended()).toBe(0)
    // as it is paid
    expect(third.text).not.toContain('Buy it')
    expect(readFileSync(at('slow.csv')).equals(CONTENT)).toBe(true)
    expect(file.starts.slice(-3).map(Boolean)).toEqual([false, true, true])
    expect(file.starts.at(-1)).toBeLessThanOrEqual(kept)
    expect(existsSync(at('slow.csv.part'))).toBe(false)
    expect(await orders('4')).toHaveLength(1)
  })

  it('get does not pay a price that has changed since it was shown', async () => {
    const publisher = await world.somebody()
    const url = world.storage.file('/dearer.csv', CONTENT)
    const asset = await world.publishUrl(url, { publisher, pricing: { fixed: '5' } })
    const command = terminal('get', asset.did, '-o', 'dearer.csv', '--account', '7')
    await command.shows(/Buy it for 5\.005 OCEAN\?/)
    const exchange = new ocean.FixedRateExchange(world.network.addresses.FixedPrice, publisher, world.network.chainId)
    await mined(exchange.setRate(asset.exchangeId as string, '7'))
    command.type('y')
    expect(await command.ended()).toBe(1)
    expect(command.text).toMatch(/tidegate: The price was 5\.005 OCEAN and is 7\.007 OCEAN now\. Nothing was paid\./)
    expect(await orders('7')).toEqual([])
  })

  it('ctrl-C names a transaction that waits to be mined', async () => {
    const did = await published(world.storage.file('/waiting.csv', CONTENT))
    await world.rpc('evm_setAutomine', [false])
    try {
      const command = terminal('buy', did, '--account', '9', '--yes')
      await eventually(async () => {
        const { pending } = (await world.rpc('txpool_status')) as { pending: string }
        return Number(pending) > 0
      })
      command.type(CTRL_C)
      expect(await command.ended()).toBe(130)
      expect(command.text).toMatch(/transaction sent: 0x[0-9a-f]{64}/)
    } finally {
      await world.rpc('evm_setAutomine', [true])
      await world.rpc('evm_mine')
    }
    expect(await orders('9')).toHaveLength(1)
  })

  it('publish shows the asset to publish, and asks', async () => {
    const url = world.storage.file('/review.csv', CONTENT)
    const args = [
      'publish',
      `${url}?token=secret`,
      '--name',
      'Tide tables',
      '--price',
      '5',
      '--timeout',
      '30d',
      '--account',
      '6',
    ]
    const no = terminal(...args)
    await no.shows(/Price +5 OCEAN[\s\S]+is valid for 30 days[\s\S]+everybody[\s\S]+Publish it in two transactions\?/)
    expect(no.text).not.toContain('secret')
    const blocks = await world.provider.getBlockNumber()
    no.type('n')
    expect(await no.ended()).toBe(3)
    expect(await world.provider.getBlockNumber()).toBe(blocks)
  })

  it('restore lets the user choose an asset that is not active', async () => {
    const did = await published(world.storage.file('/chosen.csv', CONTENT))
    const revoke = terminal('revoke', did, '--account', '1')
    await revoke.shows(/End the access to "Tide tables", also for buyers who have paid\?/)
    revoke.type('y')
    expect(await revoke.ended()).toBe(0)
    const restore = terminal('restore', '--account', '1')
    await restore.shows(/Which asset\?[\s\S]+Tide tables[\s\S]+revoked/)
    restore.type(ENTER)
    await restore.shows(/Give access to "Tide tables" again/)
    restore.type('y')
    expect(await restore.ended()).toBe(0)
    expect(restore.text).toContain(`${did} is active`)
  })

  it('asks for the password of a keystore without showing it, and asks again', async () => {
    const somebody = await world.somebody()
    // cheap to derive
    const keystore = await somebody.encrypt('correct horse battery', { scrypt: { N: 1024 } })
    writeFileSync(at('wallet.json'), keystore)
    const command = terminal('token', 'create', '--keystore', 'wallet.json')
    await command.shows(/Password of wallet\.json/)
    command.type(`wrong guess${ENTER}`)
    await command.shows(/password is wrong/)
    await command.shows(/password is wrong[\s\S]*Password of wallet\.json/)
    command.type(`correct horse battery${ENTER}`)
    expect(await command.ended()).toBe(0)
    expect(command.text).toContain(somebody.address)
    expect(command.text).not.toMatch(/wrong guess|correct horse/)
  })
})
