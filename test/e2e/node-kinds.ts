import { blocksOf, json, type Limits, type RpcCall, rpcError } from '../helpers/limited-node.js'

const text = (status: number, body: string) => ({ status, body })
const HTML = '<!doctype html><title>Bad Request</title><h1>Bad Request</h1>'
const over =
  (size: number, answer: ReturnType<NonNullable<Limits['batch']>>) =>
  (calls: RpcCall[]): ReturnType<NonNullable<Limits['batch']>> =>
    calls.length > size ? answer : undefined

/** How nodes refuse batches. */
export const BATCH_KINDS: Record<string, () => Limits> = {
  'one error object': () => ({ batch: over(1, json(rpcError(-32600, 'Invalid Request'))) }),
  'an error object of a server built on jsonrpsee': () => ({
    batch: over(1, json(rpcError(-32005, 'Batched requests are not supported by this server'))),
  }),
  'a list of one error without id': () => ({
    batch: over(2, json([rpcError(-32600, 'Too many ["eth_getBlockByNumber"] methods in the batch')])),
  }),
  'the first id, as go-ethereum does': () => ({
    batch: (calls) => (calls.length > 2 ? json([rpcError(-32600, 'batch too large', calls[0]?.id)]) : undefined),
  }),
  'an error for each call': () => ({
    batch: (calls) =>
      calls.length > 2
        ? json(calls.map(({ id }) => rpcError(31, 'Batch of more than 2 requests are not allowed on free tier', id)))
        : undefined,
  }),
  '400 and text': () => ({ batch: over(1, text(400, 'Bad Request')) }),
  '400 and an error object': () => ({ batch: over(1, json(rpcError(-32600, 'batch not supported'), 400)) }),
  '403 and a page of HTML': () => ({
    batch: over(1, { ...text(403, HTML), headers: { 'content-type': 'text/html' } }),
  }),
  '413 and text': () => ({ batch: over(2, text(413, 'Payload Too Large')) }),
  '429 and text': () => ({ batch: over(1, text(429, 'Too Many Requests')) }),
  '500 and text': () => ({ batch: over(1, text(500, 'Internal Server Error')) }),
  '500 and an error object': () => ({ batch: over(1, json(rpcError(-32603, 'Internal error'), 500)) }),
  '200 and a page of HTML': () => ({ batch: over(1, text(200, HTML)) }),
  '200 and nothing': () => ({ batch: over(1, text(200, '')) }),
  null: () => ({ batch: over(1, json(null)) }),
  'the reply to the first call alone': () => ({ replies: ([first]) => first }),
  'closing the connection, as Erigon does': () => ({ batch: over(1, 'drop') }),
  'the first two replies': () => ({ replies: (replies) => replies.slice(0, 2) }),
  'replies without the last one, in another order': () => ({ replies: (replies) => replies.slice(0, -1).reverse() }),
}

const logs = (refuse: (call: RpcCall, filter: Record<string, unknown>) => ReturnType<NonNullable<Limits['call']>>) => ({
  call: (call: RpcCall) =>
    call.method === 'eth_getLogs' ? refuse(call, call.params?.[0] as Record<string, unknown>) : undefined,
})
const range = (most: number, code: number, message: string) =>
  logs((call) => (blocksOf(call) > most ? { error: { code, message } } : undefined))

/** How nodes refuse the events of many blocks, in their own words and codes. */
export const RANGE_KINDS: Record<string, () => Limits> = {
  'Alchemy, 10 blocks': () =>
    logs((call) =>
      blocksOf(call) > 10
        ? {
            http: json(
              rpcError(
                -32600,
                'Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, this block range should work: [0x0, 0x9]. Upgrade to PAYG for expanded block range.',
                call.id,
              ),
              400,
            ),
          }
        : undefined,
    ),
  'QuickNode, 5 blocks': () =>
    logs((call) =>
      blocksOf(call) > 5
        ? { http: json(rpcError(-32614, 'eth_getLogs is limited to a 5 range', call.id), 413) }
        : undefined,
    ),
  'Infura, 20 blocks': () => range(20, -32602, 'range 1000000 exceeds limit of 20'),
  '1RPC, 50 blocks': () => range(50, -32000, 'eth_getLogs is limited to 0 - 50 blocks range'),
  'Infura, 10,000 results': () => range(30, -32005, 'query returned more than 10000 results'),
  'Ankr, 25 blocks': () => range(25, -32062, 'Block range is too large'),
  'dRPC, 20 blocks': () => range(20, 35, 'ranges over 10000 blocks are not supported on freetier'),
  'BNB Chain, 15 blocks': () => range(15, -32005, 'limit exceeded'),
  '400 and text': () =>
    logs((call) => (blocksOf(call) > 12 ? { http: text(400, 'block range too large') } : undefined)),
  '500 and text': () => logs((call) => (blocksOf(call) > 40 ? { http: text(500, 'query timeout') } : undefined)),
}

const unaddressed = (answer: ReturnType<NonNullable<Limits['call']>>) =>
  logs((_, { address }) => (address === undefined ? answer : undefined))

/** How nodes refuse events without an address. */
export const ADDRESS_KINDS: Record<string, () => Limits> = {
  PublicNode: () =>
    unaddressed({
      error: {
        code: -32701,
        message: 'Please specify an address in your request or, to remove restrictions, order a dedicated full node',
      },
    }),
  Forest: () => unaddressed({ error: { code: -32602, message: 'missing field `address`' } }),
  'without saying why': () => unaddressed({ error: { code: -32602, message: 'invalid params' } }),
  '400 and text': () => unaddressed({ http: text(400, 'bad request') }),
}

/** A rate of calls: `each` answers the calls that exceed it. */
function limitedRate(perSecond: number, answer: ReturnType<NonNullable<Limits['call']>>): Limits {
  let sent: number[] = []
  return {
    call: () => {
      const now = performance.now()
      sent = sent.filter((at) => at > now - 1000)
      if (sent.length >= perSecond) return answer
      sent.push(now)
      return undefined
    },
  }
}

/** How nodes limit the rate of calls. */
export const RATE_KINDS: Record<string, () => Limits> = {
  '429 and text': () => limitedRate(40, { http: text(429, 'Too Many Requests') }),
  '429 and Retry-After': () =>
    limitedRate(40, { http: { ...text(429, 'slow down'), headers: { 'retry-after': '1' } } }),
  '429 and an error object, as Infura does': () =>
    limitedRate(40, {
      http: json(
        {
          ...rpcError(-32005, 'exceeded project rate limit'),
          error: { code: -32005, message: 'exceeded project rate limit', data: { rate: { backoff_seconds: 1 } } },
        },
        429,
      ),
    }),
  'an error for each call too many': () => limitedRate(40, { error: { code: -32005, message: 'limit exceeded' } }),
  'an error for each call, as TheRPC does': () =>
    limitedRate(40, { error: { code: -32029, message: 'Too many requests' } }),
  'an error for each call, as Base does': () =>
    limitedRate(40, { error: { code: -32016, message: 'over rate limit' } }),
  'an error for each call, as QuickNode does': () =>
    limitedRate(40, {
      error: { code: -32007, message: '40/second request limit reached - reduce calls per second or upgrade' },
    }),
}
