import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { buildHere, runHere } from '../../../test/helpers/command-here.js'
import { acquire, downloadUrl, order, quote } from '../../../test/helpers/consume.js'
import { type Dev, type DevProcess, startDev, startDevHere } from '../../../test/helpers/dev.js'
import { eventually } from '../../../test/helpers/eventually.js'
import { prepared } from '../../../test/helpers/prepared.js'
import { publish } from '../../../test/helpers/publish.js'
import { ask, askJson, downloadParams } from '../../../test/helpers/requests.js'
import { startHere } from '../../../test/helpers/service-here.js'
import { StorageServer } from '../../../test/helpers/storage-server.js'

const answers = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

describe('tidegate dev', () => {
  const folder = newFolder()
  const addressFile = join(folder, 'address-of-one.json')
  let storage: StorageServer
  let dev: DevProcess
  beforeAll(async () => {
    storage = await StorageServer.start()
    // that contracts are deployed to a folder which is new is for the test of sample data to show
    const chain = prepared('chain')
    if (chain) cpSync(chain, folder, { recursive: true })
    dev = await startDev(['--state', folder, '--address-file', addressFile])
  })

  it('runs beside another instance, and prints one JSON line with all that is needed to use it', async () => {
    const [a, b] = [dev.facts, (await startDevHere()).facts]
    expect(new Set([a.providerUrl, a.rpcUrl, b.providerUrl, b.rpcUrl]).size).toBe(4)
    expect(a).toMatchObject({ ready: true, chainId: 8996, providerAddress: expect.stringMatching(/^0x/) })
    expect(new ethers.Wallet(a.accounts[0]?.privateKey as string).address).toBe(a.accounts[0]?.address)
    expect(JSON.parse(readFileSync(addressFile, 'utf8'))).toEqual({ development: a.addresses })
    for (const { providerUrl, rpcUrl, addresses } of [a, b]) {
      expect((await ask(`${providerUrl}/`)).json).toMatchObject({ chainIds: [8996] })
      const code = await new ethers.providers.JsonRpcProvider(rpcUrl).getCode(addresses.ERC721Factory)
      expect(code.length).toBeGreaterThan(1000)
    }
  })

  it('keeps nonces, index and chain after kill -9 during signed requests, which stops the chain', async () => {
    const url = storage.file('/tides.csv', Buffer.from('tides'))
    const people = () => {
      const provider = new ethers.providers.JsonRpcProvider(dev.facts.rpcUrl)
      return { publisher: provider.getSigner(1), consumer: provider.getSigner(2), provider }
    }
    const { publisher, consumer } = people()
    const asset = await publish({ network: dev.facts, publisher, files: [{ type: 'url', url, method: 'GET' }] })
    const indexed = async () =>
      (await ask(`${dev.facts.providerUrl}/api/aquarius/assets/ddo/${asset.did}`)).status === 200
    await eventually(indexed)
    const fee = await quote(dev.facts, asset, await consumer.getAddress())
    await acquire(dev.facts, asset, consumer)
    const txId = await order(dev.facts, asset, consumer, fee)

    const requests = await Promise.all(Array.from({ length: 40 }, () => downloadParams(asset, txId, consumer)))
    const download = async (params: URLSearchParams) =>
      (await ask(`${dev.facts.providerUrl}/api/services/download?${params}`)).status
    const accepted: URLSearchParams[] = []
    for (const params of requests.slice(0, 20)) {
      if ((await download(params)) === 200) accepted.push(params)
      if (accepted.length === 10) {
        // one more in flight while the process dies
        const dying = download(requests[30] as URLSearchParams).catch(() => 0)
        dev.process.kill('SIGKILL')
        await dying
        break
      }
    }
    expect(accepted).toHaveLength(10)
    await eventually(async () => !(await answers(dev.facts.rpcUrl)))

    const before = dev.facts.addresses
    dev = await startDev(['--state', folder])
    expect(dev.facts.addresses).toEqual(before)
    await eventually(indexed)
    for (const params of accepted) expect(await download(params)).toBe(400)
    const fresh = await downloadUrl(dev.facts, asset, txId, people().consumer)
    expect(await (await fetch(fresh)).text()).toBe('tides')
  })

  it('leaves nothing behind a graceful stop, and continues with chain and contracts', async () => {
    const head = async (rpcUrl: string) => new ethers.providers.JsonRpcProvider(rpcUrl).getBlockNumber()
    const { addresses, rpcUrl, providerUrl } = dev.facts
    const block = await head(rpcUrl)
    rmSync(join(folder, 'chain.json'))
    let more = ''
    dev.process.stdout?.on('data', (chunk) => {
      more += chunk
    })
    expect(await dev.stop()).toBe(0)
    expect(more).toBe('')
    for (const url of [providerUrl, rpcUrl]) expect(await answers(url)).toBe(false)
    expect(existsSync(join(folder, 'chain.json'))).toBe(true)
    const { facts } = await startDevHere(['--state', folder])
    expect(facts.addresses).toEqual(addresses)
    expect(await head(facts.rpcUrl)).toBe(block)
  })
})

/** One network for both: `tidegate start` needs its chain alone. */
describe('on a network with settings of its own', () => {
  let dev: Dev
  beforeAll(async () => {
    const settings = { ALLOW_NON_PUBLIC_IP: 'false', PROVIDER_PRIVATE_KEY: `0x${'77'.repeat(32)}` }
    dev = await startDevHere([], settings)
  })

  it('tidegate dev passes settings in the environment to the service', async () => {
    const storage = await StorageServer.start()
    const url = storage.file('/a.csv', Buffer.from('a'))
    const { text } = await askJson(`${dev.facts.providerUrl}/api/services/fileinfo`, {
      type: 'url',
      url,
      method: 'GET',
    })
    expect(text).toBe('[{"index":0,"valid":false,"type":"url","reason":"unreachable"}]')
    expect(storage.requests).toEqual([])
    expect(dev.facts.providerAddress).toBe(ethers.utils.computeAddress(`0x${'77'.repeat(32)}`))
    await storage.close()
  })

  describe('tidegate start', () => {
    const KEY = `0x${'11'.repeat(32)}`
    const start = async (environment: Record<string, string>) => {
      const folder = newFolder()
      const { status, stderr } = await buildHere({ STATE_DIR: join(folder, 'state'), ...environment })
      const wrote = existsSync(join(folder, 'state'))
      return { status, lines: stderr.trim().split('\n'), wrote }
    }
    it.each([
      ['no key', { NETWORK_URL: 'RPC' }, /^tidegate: PROVIDER_PRIVATE_KEY: is required\./],
      [
        'a bad key',
        { NETWORK_URL: 'RPC', PROVIDER_PRIVATE_KEY: '0x1234' },
        /^tidegate: PROVIDER_PRIVATE_KEY: must be 32 bytes of hex/,
      ],
      [
        'another chain',
        { NETWORK_URL: '{"1":"RPC"}', PROVIDER_PRIVATE_KEY: KEY },
        /^tidegate: NETWORK_URL: the node at \S+ is on chain 8996, not on chain 1\./,
      ],
      [
        'an unknown chain',
        { NETWORK_URL: 'RPC', PROVIDER_PRIVATE_KEY: KEY },
        /^tidegate: ADDRESS_FILE: chain 8996 is not a built-in network/,
      ],
      [
        'a misspelt setting',
        { NETWORK_URL: 'RPC', PROVIDER_PRIVATE_KY: KEY, PROVIDER_PRIVATE_KEY: KEY },
        /^tidegate: PROVIDER_PRIVATE_KY: no such setting\. Did you mean PROVIDER_PRIVATE_KEY\?/,
      ],
    ])('says in one line that there is %s, exits with 2 and writes nothing', async (_name, environment, message) => {
      const { NETWORK_URL, ...rest } = environment as Record<string, string>
      const result = await start({ ...rest, NETWORK_URL: (NETWORK_URL as string).replace('RPC', dev.facts.rpcUrl) })
      expect(result).toEqual({ status: 2, lines: [expect.stringMatching(message)], wrote: false })
      expect(result.lines.join()).not.toContain('11111111')
    })

    it('says in one line that no node can be reached, exits with 69 and writes nothing', async () => {
      const result = await start({ NETWORK_URL: 'http://127.0.0.1:1/key', PROVIDER_PRIVATE_KEY: KEY })
      const line = expect.stringMatching(/^tidegate: NETWORK_URL: the node at 127\.0\.0\.1:1 does not answer/)
      expect(result).toEqual({ status: 69, lines: [line], wrote: false })
    })

    it('serves a chain, whose health a command tells by its exit code', async () => {
      const folder = newFolder()
      const addressFile = join(folder, 'address.json')
      writeFileSync(addressFile, JSON.stringify({ development: dev.facts.addresses }))
      const { url } = await startHere({
        NETWORK_URL: dev.facts.rpcUrl,
        PROVIDER_PRIVATE_KEY: KEY,
        ADDRESS_FILE: addressFile,
        STATE_DIR: folder,
        LOG_LEVEL: 'silent',
      })
      expect((await ask(url)).json).toMatchObject({ chainIds: [8996] })
      await eventually(async () => (await ask(`${url}/ready`)).status === 200)
      const health = async (port: string) => (await runHere(['health', '--port', port], {})).status
      expect([await health(new URL(url).port), await health('1'), await health('x')]).toEqual([0, 1, 2])
    })
  })
})
