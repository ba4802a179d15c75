import fc from 'fast-check'
import { CHAIN_ID, DATATOKEN, DDO_4, DESCRIPTORS, NFT, TX } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { oddText } from '../lib/odd.js'
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
    authtoken: oddText(),
    authorization: oddText(),
    range: oddText(),
    'if-none-match': oddText(),
    'x-forwarded-for': oddText(),
    signature: oddText(),
  },
  { requiredKeys: [] },
)

/** Whole requests to the whole service: whatever is sent, the answer is one of its own, and tells no secret. */
export default target({
  runs: 80,
  rigid: true,
  inputs: fc.record({
    route: fc.nat({ max: ROUTES.length - 1 }),
    query,
    body,
    headers,
    /** Which of the texts that routes accept is signed. */
    signs: fc.constantFrom('nothing', 'did', 'address', 'decrypt'),
    /** A new one where it is null: with a used one little else is looked at. */
    nonce: fc.option(oddText(), { freq: 1 }),
  }),
  async read({ route, query: asked, body: given, headers: sent, signs, nonce: odd }) {
    last += 1
    const nonce = odd ?? String(last)
    const [method, path] = ROUTES[route] as [string, string]
    const proof = signs === 'nothing' ? {} : { nonce, signature: signed(textOf(signs, nonce)) }
    const params = { ...(asked as object), ...proof }
    const search = new URLSearchParams(Object.entries(params).map(([name, value]) => [name, textIn(value)])).toString()
    const clean = Object.entries(sent).filter(([, value]) => /^[\x20-\x7e]*$/.test(value) && value.length < 4000)
    const hasBody = method === 'POST' || method === 'DELETE'
    const answer = await fetch(`${origin}${path}?${hasBody ? `chainId=${CHAIN_ID}` : search.slice(0, 12_000)}`, {
      method,
      headers: { ...Object.fromEntries(clean), ...(hasBody ? { 'content-type': 'application/json' } : {}) },
      ...(hasBody ? { body: JSON.stringify(isPlain(given) ? { ...given, ...proof } : given) ?? '' } : {}),
    })
    const said = await answer.text()
    const told = `${said}${JSON.stringify([...answer.headers])}`
    // 502 and 503: the chain or a storage cannot be asked, which is no fault of the reader
    holds(
      answer.status < 500 || answer.status === 502 || answer.status === 503,
      `no ${answer.status} to ${method} ${path}: ${said.slice(0, 300)}`,
    )
    holds(!told.includes(SECRET), `no secret is told by ${method} ${path}`)
    if (answer.status >= 400 && method !== 'HEAD') JSON.parse(said)
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
