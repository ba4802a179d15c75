import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { HttpRequestError, ResponseBodyTooLargeError } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ABANDONED, connectionsOfAbandoned } from '../../../test/helpers/abandoned.js'
import { AT_ONCE, eventually } from '../../../test/helpers/eventually.js'
import { jsonBody } from '../../../test/helpers/storage-server.js'
import { transportFailure } from '../src/failures.js'
import { rpcClient } from '../src/rpc/clients.js'
import { JsonRpcHttp } from '../src/rpc/json-rpc-http.js'

interface Call {
  id: number
  method: string
}
type Answer = (response: ServerResponse, body: Call | Call[]) => unknown

const LIMIT = 100_000
const result = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: method === 'eth_gasPrice' ? '0x2' : '0x1' })
const results = (body: Call | Call[]) => (Array.isArray(body) ? body.map(result) : result(body))
const send =
  (value: unknown): Answer =>
  (response) =>
    response.end(JSON.stringify(value))
const large = (body: Call | Call[]) => JSON.stringify({ ...results(body), padding: 'a'.repeat(10 * LIMIT) })

const HTML = { 'content-type': 'text/html; charset=utf-8; path=/key-hunter2' }
const PAGE = '<!DOCTYPE html><title>key-hunter2</title>'
/** Answers of servers that are no node, and what is said of them. */
const PAGES: [head: [status: number, headers?: Record<string, string>], body: string, reason: string][] = [
  [[200, HTML], PAGE, 'answers a web page (text/html) with status 200 instead of JSON-RPC'],
  [
    [200, { 'content-type': 'application/json' }],
    PAGE,
    'answers a web page (application/json) with status 200 instead of JSON-RPC',
  ],
  [[200], '<html>', 'answers a web page with status 200 instead of JSON-RPC'],
  [
    [200, { 'content-type': '/key-hunter2' }],
    'x',
    'answers a body without a content type with status 200 instead of JSON-RPC',
  ],
  [[200, { 'content-type': 'text/plain' }], 'OK', 'answers text/plain with status 200 instead of JSON-RPC'],
  [[200], '', 'answers an empty body with status 200 instead of JSON-RPC'],
  [[204], '', 'answers an empty body with status 204 instead of JSON-RPC'],
  [[200], '{"hello":"key-hunter2"}', 'answers JSON that is no JSON-RPC with status 200'],
  [[200], '{"error":"key-hunter2 is wrong"}', 'answers JSON that is no JSON-RPC with status 200'],
  [[200], 'null', 'answers JSON that is no JSON-RPC with status 200'],
  [[200], '[[]]', 'answers JSON that is no JSON-RPC with status 200'],
  [[401], '', 'refuses access (status 401)'],
  [[403, HTML], PAGE, 'refuses access (status 403) with a web page (text/html)'],
  [[404, HTML], PAGE, 'answered 404 with a web page (text/html)'],
  [[502, HTML], PAGE, 'answered 502 with a web page (text/html)'],
  [
    [302, { location: 'https://login.example/key-hunter2', ...HTML }],
    PAGE,
    'redirects (status 302), and redirects are not followed',
  ],
]

/** Clients of a node that answers as each test says, over real connections. */
describe('JSON-RPC over HTTP', () => {
  let answer: Answer = (response, body) => response.end(JSON.stringify(results(body)))
  let bodies: (Call | Call[])[] = []
  let headers: IncomingHttpHeaders = {}
  let closed = 0
  const server = createServer(async (request, response) => {
    response.once('close', () => response.writableFinished || closed++)
    headers = request.headers
    const body = await jsonBody<Call | Call[]>(request)
    bodies.push(body)
    answer(response, body)
  })
  let url: URL
  beforeAll(async () => {
    await once(server.listen(0, '127.0.0.1'), 'listening')
    url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/key-hunter2`)
  })
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })

  const clientOf = (given: Answer = (response, body) => response.end(JSON.stringify(results(body))), at = url) => {
    answer = given
    bodies = []
    closed = 0
    return rpcClient(at, { timeout: AT_ONCE, maxResponse: LIMIT })
  }
  const failureOf = (given: Answer) =>
    clientOf(given)
      .getBlockNumber()
      .then(
        (value) => expect.fail(`was answered ${value}`),
        (error: Error) => error,
      )
  const batchFailureOf = async (given: Answer) => {
    const client = clientOf(given)
    const [one] = await Promise.allSettled([client.getBlockNumber(), client.getChainId()])
    return one.status === 'rejected' ? transportFailure(one.reason) : expect.fail('was answered')
  }
  const causesOf = (error: unknown): unknown[] => (error instanceof Error ? [error, ...causesOf(error.cause)] : [])

  it('sends the calls of one turn together, up to a hundred in a request, and one alone as it is', async () => {
    const client = clientOf()
    expect(await client.getBlockNumber()).toBe(1n)
    await Promise.all(Array.from({ length: 150 }, () => client.getGasPrice()))
    const sizes = bodies.map((body) => (Array.isArray(body) ? body.length : 'one'))
    // the two requests go over connections of their own
    expect([sizes[0], ...sizes.slice(1).sort()]).toEqual(['one', 100, 50])
  })

  it('matches replies in any order to their calls, and sends calls again that have none', async () => {
    const client = clientOf((response, body) => {
      if (!Array.isArray(body)) return response.end(JSON.stringify(result(body)))
      const [first, ...others] = body.map(result)
      response.end(
        JSON.stringify([...others.reverse(), null, 7, { id: 'other' }, first].filter((one) => one !== first)),
      )
    })
    expect(await Promise.all([client.getBlockNumber(), client.getGasPrice()])).toEqual([1n, 2n])
    expect(bodies).toMatchObject([{ length: 2 }, { method: 'eth_blockNumber' }])
  })

  it('leaves a call that is never answered without a reply', async () => {
    const client = clientOf((response, body) => {
      const calls = [body].flat().filter(({ method }) => method !== 'eth_blockNumber')
      response.end(JSON.stringify(calls.map(result)))
    })
    const [block, price] = await Promise.allSettled([client.getBlockNumber(), client.getGasPrice()])
    expect(price).toMatchObject({ status: 'fulfilled', value: 2n })
    expect(transportFailure((block as PromiseRejectedResult).reason)?.reason).toBe(
      'answers JSON that is no JSON-RPC with status 200',
    )
  })

  it('begins no further request to a node that answers slowly and call by call, after three time-outs', async () => {
    clientOf((response, body) => {
      const value = Array.isArray(body) ? { error: { code: -32600, message: 'no batches' } } : result(body)
      setTimeout(() => response.end(JSON.stringify(value)), 200)
    })
    const impatient = rpcClient(url, { timeout: 400, maxResponse: LIMIT })
    const asked = await Promise.allSettled(Array.from({ length: 100 }, () => impatient.getGasPrice()))
    expect(asked.some(({ status }) => status === 'rejected')).toBe(true)
    // four at once, six times
    expect(bodies.length).toBeLessThan(40)
  })

  it("takes a node's refusal of a whole batch as the reply to each call", async () => {
    const client = clientOf(send({ jsonrpc: '2.0', id: null, error: { code: -32005, message: 'batch too large' } }))
    for (const one of await Promise.allSettled([client.getBlockNumber(), client.getGasPrice()]))
      expect(causesOf((one as PromiseRejectedResult).reason)).toContainEqual(expect.objectContaining({ code: -32005 }))
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ])('reads %s, and never more of it than the limit', async (encoding, compress) => {
    const compressed =
      (text: (body: Call | Call[]) => string, length?: number): Answer =>
      (response, body) => {
        response.setHeader('content-encoding', encoding)
        response.end(compress(text(body)).subarray(0, length))
      }
    expect(await clientOf(compressed((body) => JSON.stringify(results(body)))).getBlockNumber()).toBe(1n)
    expect(headers['accept-encoding']).toContain(encoding)
    expect(causesOf(await failureOf(compressed(large)))).toContainEqual(expect.any(ResponseBodyTooLargeError))
    expect(transportFailure(await failureOf(compressed(large, 20)))).toMatchObject({
      reason: expect.stringMatching(/^(answers with a broken compression|cannot be reached)/),
    })
  })

  it('reads no more than the limit of a body without end, and closes the connection', async () => {
    const error = await failureOf((response) => {
      const more = () => !response.destroyed && response.write(Buffer.alloc(LIMIT / 4, ' '), () => setImmediate(more))
      more()
    })
    expect(causesOf(error)).toContainEqual(expect.any(ResponseBodyTooLargeError))
    await eventually(() => closed === 1)
  })

  it.each([
    ['levels', '['.repeat(50_000)],
    ['objects', `[${'{},'.repeat(300_000)}{}]`],
  ])('does not parse an answer of countless %s', async (_, text) => {
    answer = (response) => response.end(text)
    const error = await rpcClient(url, { timeout: AT_ONCE })
      .getBlockNumber()
      .catch((error: Error) => error)
    expect(causesOf(error)).toContainEqual(expect.any(ResponseBodyTooLargeError))
  })

  it.each<[string, Answer]>([
    ['says nothing', () => undefined],
    ['stops after the headers', (response) => response.flushHeaders()],
    ['stops in the middle', (response) => response.write('{"jsonrpc":')],
  ])('gives up on a node that %s, and closes the connection', async (_, stalls) => {
    answer = stalls
    closed = 0
    const error = await rpcClient(url, { timeout: 200 })
      .getBlockNumber()
      .catch((error: Error) => error)
    expect(transportFailure(error)).toEqual({ reason: 'did not answer in time' })
    await eventually(() => closed === 1)
  })

  it('says what a node said instead of an answer, and never its URL', async () => {
    const reasons: [Answer, object | undefined][] = [
      [
        (response) => response.writeHead(429, { 'retry-after': '7' }).end('<p>slow down'),
        { reason: 'answered 429', retryAfter: 7000 },
      ],
      [(response) => response.writeHead(503).end('[]'), { reason: 'answered 503' }],
      ...PAGES.map(([head, body, reason]): [Answer, object] => [
        (response) => response.writeHead(...head).end(body),
        { reason },
      ]),
      [(response) => response.destroy(), { reason: 'closes the connection before its answer ends (UND_ERR_SOCKET)' }],
      [send({ jsonrpc: '2.0', id: 1 }), { reason: 'answers eth_blockNumber with a wrong number' }],
      // every node answers this call, and no status makes an error of JSON-RPC a fault of HTTP
      [
        (response) => response.writeHead(400).end('{"error":{"code":-32000,"message":"no"}}'),
        { reason: 'refuses all calls with code -32000' },
      ],
    ]
    for (const [given, reason] of reasons) {
      const failure = transportFailure(await failureOf(given))
      expect(failure).toEqual(reason)
      expect(await batchFailureOf(given)).toEqual(reason)
      expect(JSON.stringify(failure ?? {})).not.toContain('hunter2')
    }
  })

  it('does not follow a redirect: a node must not choose the receiver of requests', async () => {
    const error = await failureOf((response) => response.writeHead(307, { location: `${url}` }).end())
    expect(transportFailure(error)).toEqual({ reason: 'redirects (status 307), and redirects are not followed' })
    expect(bodies).toHaveLength(1)
  })

  it('sends credentials of the URL in a header, so that no error quotes them', async () => {
    const at = new URL(url)
    Object.assign(at, { username: 'some@body', password: 'hunter3' })
    expect(await clientOf(undefined, at).getBlockNumber()).toBe(1n)
    expect(headers.authorization).toBe(`Basic ${Buffer.from('some@body:hunter3').toString('base64')}`)
    const odd = new URL(`${url}`.replace('//', '//me%:100%@'))
    expect(await clientOf(undefined, odd).getBlockNumber()).toBe(1n)
    expect(headers.authorization).toBe(`Basic ${Buffer.from('me%:100%').toString('base64')}`)
    const error = await clientOf((response) => response.destroy(), at)
      .getBlockNumber()
      .catch((error: Error) => error)
    expect(causesOf(error)).toContainEqual(expect.any(HttpRequestError))
    expect(String(error)).not.toContain('hunter3')
  })

  it('opens no second connection for a request that its caller aborts', async () => {
    const send = (origin: string, signal: AbortSignal) =>
      new JsonRpcHttp(new URL(origin), AT_ONCE, LIMIT).send({ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }, signal)
    expect(await connectionsOfAbandoned(send)).toBe(ABANDONED)
    expect(await connectionsOfAbandoned(send, { begun: true })).toBe(ABANDONED)
  })

  it('ends a request when its caller aborts it', async () => {
    const client = rpcClient(url, { timeout: AT_ONCE, batch: false })
    closed = 0
    const before = AbortSignal.abort(new Error('too late'))
    await expect(client.request({ method: 'eth_blockNumber' }, { signal: before })).rejects.toThrow('too late')
    const controller = new AbortController()
    answer = () => controller.abort(new Error('enough'))
    await expect(client.request({ method: 'eth_blockNumber' }, { signal: controller.signal })).rejects.toThrow('enough')
    await eventually(() => closed === 1)
  })

  it('ends with a call that is aborted no other call of its turn', async () => {
    const controller = new AbortController()
    const client = clientOf((response, body) => {
      if ((body as Call).method === 'eth_blockNumber') controller.abort(new Error('enough'))
      else response.end(JSON.stringify(results(body)))
    })
    const aborted = client.request({ method: 'eth_blockNumber' }, { signal: controller.signal })
    const [one, other] = await Promise.allSettled([aborted, client.getGasPrice()])
    expect(one).toMatchObject({ status: 'rejected', reason: { message: expect.stringContaining('enough') } })
    expect(other).toMatchObject({ status: 'fulfilled', value: 2n })
  })
})
