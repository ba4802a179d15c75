import { beforeAll, describe, expect, it } from 'vitest'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { freePort } from '../helpers/backends.js'
import { newFolder } from '../helpers/cleanup.js'
import { runCommand } from '../helpers/command.js'
import { eventually } from '../helpers/eventually.js'
import { type Instance, startInstance } from '../helpers/instance.js'
import { ask, downloadUrl, signatureOf } from '../helpers/requests.js'
import { sized } from '../helpers/sizes.js'
import { World } from '../helpers/world.js'

const WORKERS = sized(2, 3)

/** Processes of one service, which share its port and the embedded database. */
describe('several workers', () => {
  let world: World
  let instance: Instance
  let metricsPort: number
  let environment: Record<string, string>
  const folder = newFolder()

  beforeAll(async () => {
    world = await World.start()
    metricsPort = await freePort()
    environment = world.beside({ STATE_DIR: folder, WORKERS: `${WORKERS}`, METRICS_PORT: `${metricsPort}` })
    instance = await startInstance(environment)
    await eventually(() => workers().length === WORKERS)
    await eventually(async () => (await metric('tidegate_index_block')) > 0)
  })

  /** The process ids of the running workers, the latest last. */
  const workers = (): number[] =>
    instance.lines
      .map((line) => JSON.parse(line) as { msg: string; pid: number })
      .filter(({ msg, pid }) => msg === 'worker ready' && alive(pid))
      .map(({ pid }) => pid)
  const metric = async (name: string, labels = ''): Promise<number> => {
    const { text } = await ask(`http://127.0.0.1:${metricsPort}/metrics`).catch(() => ({ text: '' }))
    const lines = text.split('\n').filter((line) => line.startsWith(name) && line.includes(labels))
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
  }
  const createToken = async (secret: string, nonce: number, signal?: AbortSignal) => {
    const account = providerKey(secret)
    const params = { address: account.address, nonce: `${nonce}`, expiration: `${Math.floor(Date.now() / 1000) + 600}` }
    const signature = signatureOf(account, account.address + nonce)
    // no keep-alive, so that connections spread over the workers
    return fetch(`${instance.url}/api/services/createAuthToken?${new URLSearchParams({ ...params, signature })}`, {
      headers: { connection: 'close' },
      ...(signal ? { signal } : {}),
    })
  }

  it('accept every nonce once in total, and share counters', async () => {
    // each three times, from 30 addresses at once
    const amount = sized(90, 300)
    const requests = Array.from({ length: amount }, (_, at) => ({
      secret: `0x${((at % 30) + 1).toString(16).padStart(64, '0')}`,
      nonce: 1_700_000_000_000 + Math.floor(at / 30),
    }))
    const accepted = new Map<string, number>()
    for (let at = 0; at < requests.length; at += 30) {
      const batch = requests.slice(at, at + 30)
      await Promise.all(
        [...batch, ...batch, ...batch].map(async ({ secret, nonce }) => {
          const { status } = await createToken(secret, nonce)
          expect([200, 400]).toContain(status)
          if (status === 200) accepted.set(`${secret} ${nonce}`, (accepted.get(`${secret} ${nonce}`) ?? 0) + 1)
        }),
      )
    }
    expect(accepted.size).toBe(amount)
    expect([...accepted.values()].every((times) => times === 1)).toBe(true)
    const counted = () => metric('tidegate_http_requests_total', 'route="/api/services/createAuthToken"')
    await eventually(async () => (await counted()) === 3 * amount)
  })

  it('share one index', async () => {
    const { asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('tide')))
    const { blockNumber } = await world.provider.getTransactionReceipt(asset.txId)
    await eventually(async () => (await metric('tidegate_index_block')) >= blockNumber)
    const texts = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const url = await downloadUrl(instance.url, asset, txId, buyer)
        return (await fetch(url, { headers: { connection: 'close' } })).text()
      }),
    )
    // parallel requests may overtake one another, so that some nonces are refused
    expect(texts.filter((text) => text === 'tide').length).toBeGreaterThan(0)
    expect(texts.every((text) => text === 'tide' || text.includes('"nonce"'))).toBe(true)
  })

  it('accept no nonce twice while one after another is killed under load, and are replaced, also the leader of the index', async () => {
    const before = workers()
    const accepted = new Map<string, number>()
    let answered = 0
    let kill: { after: number; pid: number } | undefined
    const send = async ({ secret, nonce }: { secret: string; nonce: number }) => {
      // a killed worker gives no answer, and Node keeps the connection that it was just given: the outcome is unknown
      const status = await createToken(secret, nonce, AbortSignal.timeout(5000)).then(
        (response) => response.status,
        () => undefined,
      )
      if (status === 200) accepted.set(`${secret} ${nonce}`, (accepted.get(`${secret} ${nonce}`) ?? 0) + 1)
      if (++answered === kill?.after) process.kill(kill.pid, 'SIGKILL')
    }
    const all = Array.from({ length: sized(40, 600) }, (_, at) => ({
      secret: `0x${((at % 20) + 1000).toString(16).padStart(64, '0')}`,
      nonce: 1_700_000_000_000 + Math.floor(at / 20),
    }))
    for (let at = 0; at < all.length; at += 20) {
      const batch = all.slice(at, at + 20)
      const pid = workers()[0] as number
      kill = { after: answered + 1 + ((at * 13) % 47), pid }
      await Promise.all([...batch, ...batch, ...batch].map(send))
      await eventually(() => workers().length === WORKERS && !workers().includes(pid))
    }
    for (let at = 0; at < all.length; at += 20) await Promise.all(all.slice(at, at + 20).map(send))
    expect(accepted.size).toBeGreaterThan(all.length / 2)
    expect([...accepted.values()].every((times) => times === 1)).toBe(true)
    expect(workers().some((pid) => before.includes(pid))).toBe(false)
    const asset = await world.publishUrl(world.storage.file('/b.csv', Buffer.from('tide')))
    await eventually(async () => {
      const answer = await ask(`${instance.url}/api/aquarius/assets/ddo/${asset.did}`).catch(() => undefined)
      return answer?.status === 200
    })
    expect((await createToken(`0x${'44'.repeat(32)}`, 1_700_000_000_000)).status).toBe(200)
  })

  // that they stop with it is tested while it starts (stop-while-starting.test.ts)
  it('end when the primary process is killed', async () => {
    const orphans = workers()
    expect(orphans).toHaveLength(WORKERS)
    await instance.end('SIGKILL')
    await eventually(() => !orphans.some(alive))
  })

  it('report wrong settings once', async () => {
    const wrong = { ...environment, NETWORK_URL: 'http://127.0.0.1:1', METRICS_PORT: '' }
    expect(await runCommand(['start'], wrong)).toMatchObject({
      status: 69,
      stderr: expect.stringMatching(
        /^tidegate: NETWORK_URL: the node at 127\.0\.0\.1:1 does not answer JSON-RPC\. .*\n$/,
      ),
    })
  })
})

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
