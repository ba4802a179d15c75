import { once } from 'node:events'
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTidegate, type Tidegate, type TidegateOptions } from '@tidegate/client'
import { createWalletClient, http } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterEach, describe, expect, it } from 'vitest'
import { measured } from '../../../test/helpers/measured.js'
import { bytesOf } from './stage.js'

const DID = `did:op:${'0'.repeat(64)}`
const ORDER = `0x${'1'.repeat(64)}` as const
/** MiB by which this process may grow: far less than a hostile provider sends. */
const GROWN = 150

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.close()
    server.closeAllConnections()
  }
})

async function provider(answer: RequestListener): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/api/services/nonce')) return void json(response, { nonce: 1 })
    answer(request, response)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function client(answer: RequestListener, options: Partial<TidegateOptions> = {}): Promise<Tidegate> {
  const account = privateKeyToAccount(generatePrivateKey())
  const url = await provider(answer)
  return createTidegate({
    url,
    wallet: createWalletClient({ account, transport: http(url, { retryCount: 0 }) }),
    ...options,
  })
}

/** Returns a client of a provider with older signatures and hostile files. */
function serving(answer: RequestListener): Promise<Tidegate> {
  return client((request, response) => (request.url === '/' ? json(response, {}) : answer(request, response)))
}

/** Writes endlessly at the reader's speed. */
function endless(response: ServerResponse, piece: string | Buffer): void {
  const more = () => {
    while (!response.destroyed && response.write(piece));
  }
  response.on('drain', more)
  more()
}

const FILE = { service: 'a', order: ORDER, retries: 1 }

describe('a hostile provider', () => {
  it('does not fill the memory with endless responses and refusals', async () => {
    for (const status of [200, 400]) {
      const tidegate = await client((_, response) => {
        response.writeHead(status, { 'content-type': 'application/json' })
        endless(response, ' '.repeat(1_000_000))
      })
      const cost = await measured(() => tidegate.search().catch((error) => error.code))
      expect(cost.result).toBe(status === 200 ? 'BAD_ANSWER' : 'HTTP_ERROR')
      expect(cost.grown).toBeLessThan(GROWN)
    }
  })

  it('does not block callers by an endless response, or none', async () => {
    const drip: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const timer = setInterval(() => response.write(' '), 20)
      response.on('close', () => clearInterval(timer))
    }
    for (const answer of [drip, () => undefined]) {
      const tidegate = await client(answer, { timeout: 200 })
      await expect(tidegate.search()).rejects.toMatchObject({ code: 'TIMEOUT' })
    }
    const controller = new AbortController()
    const waiting = (await client(() => controller.abort(new Error('enough')))).search({ signal: controller.signal })
    await expect(waiting).rejects.toThrow('enough')
  })

  it('receives no token elsewhere', async () => {
    let asked = 0
    const elsewhere = await provider((_, response) => {
      asked += 1
      json(response, {})
    })
    for (const status of [301, 302, 307, 308]) {
      const tidegate = await client((_, response) => response.writeHead(status, { location: elsewhere }).end(), {
        token: 'a.b.c',
      })
      await expect(tidegate.search()).rejects.toMatchObject({ code: 'REDIRECTED', status })
      await expect(tidegate.download(DID, FILE)).rejects.toMatchObject({
        code: expect.stringMatching(/^(REDIRECTED|TOKEN_INVALID)$/),
      })
    }
    expect(asked).toBe(0)
  })

  it.each([
    null,
    [[]],
    7,
    'text',
    {},
    { hits: null },
    { hits: { total: { value: -1 }, hits: [] } },
    { hits: { total: { value: 1 }, hits: [null, { _source: [] }] } },
    { token: 5 },
    { url: 'javascript:1', expires: 1 },
  ])('that returns %j causes only errors of this library', async (answer) => {
    const tidegate = await client((_, response) => json(response, answer))
    for (const call of [
      () => tidegate.search(),
      () => tidegate.asset(DID),
      () => tidegate.createToken(),
      () => tidegate.link(DID, { service: 'a', order: ORDER }),
      () => tidegate.quote(DID),
    ])
      await call().catch((error) =>
        expect(error, String(call)).toMatchObject({ name: 'TidegateError', code: expect.any(String) }),
      )
  })

  it('cannot control the terminal by its messages, or flood it', async () => {
    const error = `\u001b[2J\u202egood${'!'.repeat(10_000)}`
    const tidegate = await client((_, response) => json(response, { error, code: 'bad code' }, 400))
    const refused = await tidegate.search().catch((caught) => caught)
    expect(refused).toMatchObject({ code: 'HTTP_ERROR', status: 400 })
    expect(refused.message).toMatch(/^\[2J good!+…$/)
    expect(refused.message.length).toBeLessThan(600)
  })

  it('gets no signature into an error', async () => {
    const tidegate = await client((request) => request.socket.destroy())
    const failed = await tidegate.download(DID, { ...FILE, retries: 0 }).catch((error) => error)
    expect(failed).toMatchObject({ code: 'UNREACHABLE' })
    expect(JSON.stringify(failed) + failed.stack + String(failed.cause)).not.toContain('signature')
  })
})

describe('a hostile file', () => {
  it('without an end is cut at the allowed size', async () => {
    const tidegate = await serving((_, response) => endless(response.writeHead(200), Buffer.alloc(100_000)))
    const cost = await measured(async () => {
      const downloaded = await tidegate.download(DID, { ...FILE, maxSize: 20_000_000 })
      return downloaded.blob().catch((error) => error.code)
    })
    expect(cost.result).toBe('FILE_TOO_LARGE')
    expect(cost.grown).toBeLessThan(GROWN)
  })

  it('that announces more than the allowed size is refused at once', async () => {
    const tidegate = await serving((_, response) => response.writeHead(200, { 'content-length': 10 ** 12 }).write('x'))
    await expect(tidegate.download(DID, { ...FILE, maxSize: 1000 })).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
    const blob = (await tidegate.download(DID, FILE)).blob()
    await expect(blob).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' })
  })

  it('that stalls fails after the allowed retries', async () => {
    let requests = 0
    const tidegate = await serving((request, response) => {
      requests += 1
      const from = Number(/=(\d+)/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const headers = { etag: '"a"', 'content-length': 1000 - from }
      if (from > 0) response.writeHead(206, { ...headers, 'content-range': `bytes ${from}-999/1000` })
      else response.writeHead(200, headers)
      response.write('x')
    })
    const downloaded = await tidegate.download(DID, { ...FILE, stallTimeout: 1500, retries: 2 })
    await expect(bytesOf(downloaded)).rejects.toMatchObject({ code: 'STALLED' })
    expect(requests).toBe(3)
  })

  it.each([
    ['another range', { 'content-range': 'bytes 7-999/1000' }, 'BAD_ANSWER'],
    ['no range', {}, 'BAD_ANSWER'],
    ['a range that is none', { 'content-range': 'bytes 900-1/1000' }, 'BAD_ANSWER'],
    ['another size', { 'content-range': 'bytes 10-1999/2000' }, 'FILE_CHANGED'],
    ['another version', { 'content-range': 'bytes 10-999/1000', etag: '"b"' }, 'FILE_CHANGED'],
  ])('that continues with %s is an error', async (_, headers, code) => {
    const tidegate = await serving((request, response) => {
      if (request.headers.range) return void response.writeHead(206, { etag: '"a"', ...headers }).end('y'.repeat(990))
      response.writeHead(200, { etag: '"a"', 'content-length': 1000 }).write('x'.repeat(10))
      // the written bytes must arrive before the connection ends
      setTimeout(() => response.destroy(), 50)
    })
    await expect(bytesOf(await tidegate.download(DID, FILE))).rejects.toMatchObject({ code })
  })

  it('ends at its announced size, with more bytes after it', async () => {
    const tidegate = await serving((request, response) => {
      if (request.headers.range)
        return void response.writeHead(206, { etag: '"a"', 'content-range': 'bytes 10-19/20' }).end('y'.repeat(5000))
      response.writeHead(200, { etag: '"a"', 'content-length': 20 }).write('x'.repeat(10))
      setTimeout(() => response.destroy(), 50)
    })
    expect((await bytesOf(await tidegate.download(DID, FILE))).toString()).toBe('x'.repeat(10) + 'y'.repeat(10))
  })

  it('with another digest than the announced one is an error', async () => {
    const wrong = `sha-256=:${Buffer.alloc(32).toString('base64')}:`
    const tidegate = await serving((_, response) => response.writeHead(200, { 'repr-digest': wrong }).end('text'))
    await expect((await tidegate.download(DID, FILE)).blob()).rejects.toMatchObject({ code: 'DIGEST_MISMATCH' })
  })
})
