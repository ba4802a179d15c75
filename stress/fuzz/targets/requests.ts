import fc from 'fast-check'
import { CHAIN_ID, DATATOKEN, DDO_4, DESCRIPTORS, NFT, TX } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { CALLER, signed, startService } from '../lib/service.js'
import { holds, SECRET, target } from '../lib/target.js'

const origin = await startService()
const api = '/api/services'
const ROUTES = [
  ...[
    ['GET', '/'],
    ['GET', '/spec'],
    ['GET', `${api}/nonce`],
    ['GET', `${api}/initialize`],
    ['GET', `${api}/download`],
  ],
  ...[
    ['HEAD', `${api}/download`],
    ['POST', `${api}/fileinfo`],
    ['POST', `${api}/encrypt`],
    ['POST', `${api}/decrypt`],
  ],
  ...[
    ['GET', `${api}/createAuthToken`],
    ['DELETE', `${api}/deleteAuthToken`],
    ['POST', `${api}/auth/token`],
  ],
  ...[
    ['POST', `${api}/auth/token/invalidate`],
    ['GET', `/api/aquarius/assets/ddo/${DDO_4.id}`],
    ['PUT', `${api}/nonce`],
  ],
  ...[
    ['POST', '/api/aquarius/assets/ddo/validate'],
    ['GET', '/ready'],
    ['GET', '/live'],
    ['GET', '/x/%zz'],
  ],
] as [string, string][]

const HONEST = {
  ...{
    documentId: DDO_4.id,
    did: DDO_4.id,
    serviceId: 'tide-access',
    transferTxId: TX,
    transactionId: TX,
    fileIndex: '0',
  },
  ...{
    consumerAddress: CALLER.address,
    userAddress: CALLER.address,
    address: CALLER.address,
    decrypterAddress: CALLER.address,
  },
  ...{
    dataNftAddress: NFT,
    datatoken: DATATOKEN,
    chainId: String(CHAIN_ID),
    expiration: String(Math.floor(Date.now() / 1000) + 60_000),
    validUntil: String(Math.floor(Date.now() / 1000) + 60_000),
  },
  ...{
    userdata: '{"day":"1","where":"de"}',
    checksum: 'true',
    flags: '2',
    documentHash: TX,
    encryptedDocument: '0x04',
  },
}
const query = mutated<unknown>(fc.constant(HONEST), 1)
const objects = DESCRIPTORS.filter(({ type }) => /url|ipfs|s3|sql|ftp/.test(String(type)))
const body = fc.oneof(query, query, mutated<unknown>(fc.constantFrom<unknown>(HONEST, DDO_4, ...objects)))
let last = Date.now() * 1000

const headers = fc.record(
  {
    authtoken: edgeCaseText(),
    authorization: edgeCaseText(),
    range: edgeCaseText(),
    'if-none-match': edgeCaseText(),
    'x-forwarded-for': edgeCaseText(),
    signature: edgeCaseText(),
  },
  { requiredKeys: [] },
)

/** Complete requests to the whole service: every response is one of its own, and leaks no secret. */
export default target({
  runs: 80,
  replayVerbatim: true,
  inputs: fc.record({
    route: fc.nat({ max: ROUTES.length - 1 }),
    query,
    body,
    headers,
    /** Which of the messages accepted by routes is signed. */
    signs: fc.constantFrom('nothing', 'did', 'address', 'decrypt'),
    /** A fresh nonce where it is null: a used one would hide most other checks. */
    nonce: fc.option(edgeCaseText(), { freq: 1 }),
  }),
  async read({ route, query: parameters, body: content, headers: sent, signs, nonce: invalidNonce }) {
    last += 1
    const nonce = invalidNonce ?? String(last)
    const [method, path] = ROUTES[route] as [string, string]
    const proof = signs === 'nothing' ? {} : { nonce, signature: signed(textOf(signs, nonce)) }
    const params = { ...(parameters as object), ...proof }
    const search = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, textIn(value)])).toString()
    const clean = Object.entries(sent).filter(([, value]) => /^[\x20-\x7e]*$/.test(value) && value.length < 4000)
    const hasBody = method === 'POST' || method === 'DELETE'
    const response = await fetch(`${origin}${path}?${hasBody ? `chainId=${CHAIN_ID}` : search.slice(0, 12_000)}`, {
      method,
      headers: { ...Object.fromEntries(clean), ...(hasBody ? { 'content-type': 'application/json' } : {}) },
      ...(hasBody ? { body: JSON.stringify(isPlain(content) ? { ...content, ...proof } : content) ?? '' } : {}),
    })
    const text = await response.text()
    // 502 and 503: the chain or a storage is unreachable, which is not a fault of the reader
    holds(
      response.status < 500 || response.status === 502 || response.status === 503,
      `no ${response.status} to ${method} ${path}: ${text.slice(0, 300)}`,
    )
    const all = `${text}${JSON.stringify([...response.headers])}`
    holds(!all.includes(SECRET), `no secret is leaked by ${method} ${path}`)
    if (response.status >= 400 && method !== 'HEAD') JSON.parse(text)
  },
})

function isPlain(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function textOf(signs: string, nonce: string): string {
  const { address } = CALLER
  if (signs === 'did') return DDO_4.id + nonce
  return signs === 'address' ? address + nonce : `${TX}${address}${CHAIN_ID}${nonce}`
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
