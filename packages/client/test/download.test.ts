import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DatatokenSales } from '../../../test/helpers/datatoken-sales.js'
import type { World } from '../../../test/helpers/world.js'
import type { CuttingProxy } from './cutting-proxy.js'
import { bytesOf, type Sold, Stage, sha256 } from './stage.js'
import { walletFor } from './world.js'

const CONTENT = randomBytes(3_000_000)

let stage: Stage
let world: World
let proxy: CuttingProxy
let tides: Sold

beforeAll(async () => {
  stage = await Stage.start()
  ;({ world, proxy } = stage)
  tides = await sold(world.storage.file('/tides.csv', CONTENT))
})
afterAll(() => stage?.close())

const sold = (url: string) => stage.sold(url)
const client = (options: Parameters<Stage['client']>[0] = {}) => stage.client(options)

describe('a download', () => {
  it('has a name, a type, a size and the bytes', async () => {
    const downloaded = await client().download(tides.did, { order: tides.order })
    expect(downloaded).toMatchObject({ name: 'tides.csv', contentType: 'text/csv', size: CONTENT.length })
    expect(sha256(await bytesOf(downloaded))).toBe(sha256(CONTENT))
    expect(() => downloaded.stream()).toThrow(expect.objectContaining({ code: 'ALREADY_READ' }))
  })

  it('is collected in memory, with progress', async () => {
    const seen: number[] = []
    const onProgress = ({ received, total }: { received: number; total?: number }) => {
      expect(total).toBe(CONTENT.length)
      seen.push(received)
    }
    const downloaded = await client().download(tides.did, { order: tides.order, onProgress })
    const blob = await downloaded.blob()
    expect(blob.type).toBe('text/csv')
    expect(sha256(Buffer.from(await blob.arrayBuffer()))).toBe(sha256(CONTENT))
    expect(seen.at(-1)).toBe(CONTENT.length)
  })

  it.each([
    [{ start: 10, end: 19 }, 10, 20],
    [{ start: 2_999_990 }, 2_999_990, 3_000_000],
    [{ start: 0, end: 0 }, 0, 1],
    [{ start: 2_999_990, end: 9_999_999 }, 2_999_990, 3_000_000],
  ])('of a range %j', async (range, from, to) => {
    const downloaded = await client().download(tides.did, { order: tides.order, range })
    expect(downloaded.size).toBe(to - from)
    expect(sha256(await bytesOf(downloaded))).toBe(sha256(CONTENT.subarray(from, to)))
  })

  it('of a range outside of the file is refused', async () => {
    const refused = client().download(tides.did, { order: tides.order, range: { start: 4_000_000 } })
    await expect(refused).rejects.toMatchObject({ code: 'RANGE_NOT_SATISFIABLE', status: 416 })
  })

  it('of an empty file', async () => {
    const empty = await sold(world.storage.file('/empty.csv', Buffer.alloc(0)))
    const downloaded = await client().download(empty.did, { order: empty.order })
    expect(downloaded.size).toBe(0)
    expect(await bytesOf(downloaded)).toHaveLength(0)
  })

  it('returns a range of a storage without ranges', async () => {
    const plain = await sold(
      world.storage.on('/plain', (_, response) =>
        response.writeHead(200, { 'content-length': CONTENT.length }).end(CONTENT),
      ),
    )
    const downloaded = await client().download(plain.did, {
      order: plain.order,
      range: { start: 1000, end: 1_999_999 },
    })
    expect(sha256(await bytesOf(downloaded))).toBe(sha256(CONTENT.subarray(1000, 2_000_000)))
  })

  it('finds a valid order, by the wallet or by the token', async () => {
    expect(sha256(await bytesOf(await client().download(tides.did)))).toBe(sha256(CONTENT))
    const { token } = await client().createToken()
    const reader = client({ wallet: undefined, token, rpcUrl: world.network.rpcUrl })
    expect(sha256(await bytesOf(await reader.download(tides.did)))).toBe(sha256(CONTENT))
  })

  it('of a file that the datatoken keeps is signed by the wallet itself, which a token cannot replace', async () => {
    const files = [{ type: 'url', url: world.storage.file('/kept.csv', Buffer.from('kept')), method: 'GET' }]
    const { asset, txId } = await new DatatokenSales(world).sold(files, stage.buyer)
    const order = txId as `0x${string}`
    const { token } = await client().createToken()
    for (const options of [{}, { token }])
      expect(`${await bytesOf(await client(options).download(asset.did, { order }))}`).toBe('kept')
    const reader = client({ wallet: undefined, token })
    await expect(reader.download(asset.did, { order })).rejects.toMatchObject({ code: 'FILES_IN_DATATOKEN' })
  })

  it('without an order or an account reports what is missing', async () => {
    const stranger = client({ wallet: walletFor(world, await world.somebody()) })
    await expect(stranger.download(tides.did)).rejects.toMatchObject({ code: 'NO_ORDER' })
    const nobody = client({ wallet: undefined }).download(tides.did, { order: tides.order })
    await expect(nobody).rejects.toMatchObject({ code: 'NO_WALLET' })
  })

  it("of another account's order is refused with the code of the service", async () => {
    const other = client({ wallet: walletFor(world, await world.somebody()) })
    const refused = other.download(tides.did, { order: tides.order })
    await expect(refused).rejects.toMatchObject({ code: 'ORDER_WRONG_CONSUMER', status: 400 })
  })

  it('ends with its signal', async () => {
    const controller = new AbortController()
    const downloaded = await client().download(tides.did, { order: tides.order, signal: controller.signal })
    const reader = downloaded.stream().getReader()
    await reader.read()
    controller.abort(new Error('enough'))
    await expect(
      (async () => {
        while (!(await reader.read()).done);
      })(),
    ).rejects.toThrow('enough')
  })

  it('reads nothing ahead of its reader', async () => {
    let sent = 0
    const large = await sold(
      world.storage.on('/large', async (_, response) => {
        response.writeHead(200, { 'content-length': 1_000_000_000 })
        const piece = Buffer.alloc(1_000_000)
        const more = () => {
          while (!response.destroyed && response.write(piece)) sent += piece.length
        }
        response.on('drain', more)
        more()
      }),
    )
    const downloaded = await client().download(large.did, { order: large.order })
    const reader = downloaded.stream().getReader()
    await reader.read()
    let before = -1
    // only the buffers of sockets and service
    while (sent !== before) {
      before = sent
      await new Promise((resolve) => setTimeout(resolve, 300))
    }
    expect(sent).toBeLessThan(100_000_000)
    await reader.cancel()
  })
})

describe('an interrupted transfer', () => {
  it('is complete after 20 cuts at random bytes', async () => {
    const cuts = Array.from({ length: 20 }, () => 400 + Math.floor(Math.random() * 290_000))
    proxy.cuts = [...cuts]
    const before = proxy.cut
    let resumed = 0
    const downloaded = await client().download(tides.did, {
      order: tides.order,
      onProgress: (progress) => {
        resumed = progress.resumed
      },
    })
    expect(sha256(await bytesOf(downloaded)), `cut after ${cuts}`).toBe(sha256(CONTENT))
    expect(resumed).toBeGreaterThan(5)
    expect(proxy.cut - before).toBeGreaterThan(5)
    proxy.cuts = []
  })

  it('resumes with a new signature each time', async () => {
    const nonces: unknown[] = []
    proxy.onDownload = (request) => nonces.push(/[?&]nonce=(\d+)/.exec(request)?.[1])
    proxy.cuts = [500_000, 600_000]
    expect(sha256(await bytesOf(await client().download(tides.did, { order: tides.order })))).toBe(sha256(CONTENT))
    expect(new Set(nonces).size).toBe(3)
  })

  it('is an error if the storage has no validator', async () => {
    const plain = await sold(
      world.storage.on('/bare', (_, response) =>
        response.writeHead(200, { 'content-length': CONTENT.length }).end(CONTENT),
      ),
    )
    proxy.cuts = [800_000]
    const downloaded = await client().download(plain.did, { order: plain.order })
    await expect(bytesOf(downloaded)).rejects.toMatchObject({ code: 'BROKEN_OFF' })
    // in memory it restarts
    proxy.cuts = [800_000]
    let restarts = 0
    const again = await client().download(plain.did, { order: plain.order, onRestart: () => restarts++ })
    expect(sha256(Buffer.from(await (await again.blob()).arrayBuffer()))).toBe(sha256(CONTENT))
    expect(restarts).toBe(1)
  })

  it('of a changed file restarts, or fails if bytes were delivered', async () => {
    let version = 1
    const changing = await sold(
      world.storage.on('/changing', (request, response) => {
        const content = Buffer.alloc(1_000_000, version)
        const etag = `"v${version}"`
        const range = /^bytes=(\d+)-/.exec(request.headers.range ?? '')
        if (!range || request.headers['if-range'] !== etag)
          return void response.writeHead(200, { etag, 'content-length': content.length }).end(content)
        const from = Number(range[1])
        const headers = {
          etag,
          'content-range': `bytes ${from}-999999/1000000`,
          'content-length': content.length - from,
        }
        response.writeHead(206, headers).end(content.subarray(from))
      }),
    )
    const change = () => {
      proxy.cuts = [300_000]
      proxy.onDownload = () => {
        if (proxy.downloads > first) version = 2
      }
    }
    let first = proxy.downloads + 1
    change()
    const stream = await client().download(changing.did, { order: changing.order })
    await expect(bytesOf(stream)).rejects.toMatchObject({ code: 'FILE_CHANGED' })
    version = 1
    first = proxy.downloads + 1
    change()
    let restarts = 0
    const blob = await client().download(changing.did, { order: changing.order, onRestart: () => restarts++ })
    expect(sha256(Buffer.from(await (await blob.blob()).arrayBuffer()))).toBe(sha256(Buffer.alloc(1_000_000, 2)))
    expect(restarts).toBe(1)
    proxy.onDownload = () => undefined
  })

  it('ends after a few attempts', async () => {
    const downloaded = await client().download(tides.did, { order: tides.order, retries: 2 })
    const { target } = proxy
    // a port without a listener
    proxy.target = 1
    proxy.cutAll()
    await expect(bytesOf(downloaded)).rejects.toMatchObject({
      code: expect.stringMatching(/^(UNREACHABLE|BROKEN_OFF)$/),
    })
    proxy.target = target
  })
})

describe('the proof of a download', () => {
  it('is a token, if there is one', async () => {
    const { token } = await client().createToken()
    const requests: string[] = []
    proxy.onDownload = (request) => requests.push(request)
    const downloaded = await client({ wallet: undefined, token }).download(tides.did, { order: tides.order })
    expect(sha256(await bytesOf(downloaded))).toBe(sha256(CONTENT))
    expect(requests).toHaveLength(1)
    expect(requests[0]).not.toContain('signature')
    proxy.onDownload = () => undefined
  })

  it('is renewed if the token expires in the middle', async () => {
    const { token } = await client().createToken()
    proxy.cuts = [700_000]
    const downloaded = await client({ token }).download(tides.did, { order: tides.order })
    await client().deleteToken(token)
    expect(sha256(await bytesOf(downloaded))).toBe(sha256(CONTENT))
    // an error if there is no wallet
    const { token: another } = await client().createToken()
    proxy.cuts = [700_000]
    const alone = await client({ wallet: undefined, token: another }).download(tides.did, { order: tides.order })
    await client().deleteToken(another)
    await expect(bytesOf(alone)).rejects.toMatchObject({ code: 'TOKEN_DELETED' })
  })

  it('is one token for all attempts if the wallet prompts', async () => {
    const wallet = walletFor(world, stage.buyer)
    let signatures = 0
    const asking = {
      ...wallet,
      account: { address: stage.buyer.address as `0x${string}`, type: 'json-rpc' as const },
      signMessage: ({ message }: Parameters<typeof wallet.signMessage>[0]) => {
        signatures++
        return wallet.signMessage({ account: wallet.account as never, message })
      },
    } as typeof wallet
    const tidegate = client({ wallet: asking })
    proxy.cuts = [400_000, 700_000]
    expect(sha256(await bytesOf(await tidegate.download(tides.did, { order: tides.order })))).toBe(sha256(CONTENT))
    expect(sha256(await bytesOf(await tidegate.download(tides.did, { order: tides.order })))).toBe(sha256(CONTENT))
    expect(signatures).toBe(1)
  })
})
