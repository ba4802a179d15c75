import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { legacyTokenExpiry } from '../../../packages/legacy/src/records.js'
import { legacyTokenId } from '../../../packages/provider/src/auth/legacy-token.js'
import { Tokens } from '../../../packages/provider/src/auth/tokens.js'
import { CONSUMER } from '../lib/honest.js'
import { mutated, mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const SECRET_TEXT = 'a secret of sixteen characters or more'
const LEGACY = 'the secret of another service'
const revocations = { isRevoked: async () => false, revoke: async () => true, purge: async () => undefined }
const tokens = new Tokens(Buffer.from(SECRET_TEXT), revocations as never, LEGACY)
const CLAIMS = { address: CONSUMER, chainId: 8996, iat: 1_700_000_000, exp: 4_102_444_800, jti: 'a-b-c' }
const LEGACY_CLAIMS = { address: CONSUMER, exp: 4_102_444_800 }

const part = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toString('base64url')
const signed = fc.record({
  header: mutated<unknown>(
    fc.constantFrom({ alg: 'HS256', typ: 'JWT' }, { alg: 'none' }, { alg: 'HS512' }, { alg: 'HS256', crit: ['x'] }),
    2,
  ),
  claims: mutated<unknown>(fc.constantFrom(CLAIMS, LEGACY_CLAIMS)),
  secret: fc.constantFrom(SECRET_TEXT, LEGACY, ''),
})
const GOOD = tokens.issue({ address: CONSUMER }, 4_102_444_800, 1_700_000_000)

/** Auth tokens: signed ones with arbitrary claims, and text that is not a token. */
export default target({
  inputs: fc.oneof(
    fc.record({
      signed: fc.option(signed, { nil: undefined }),
      text: fc.oneof(mutatedText(fc.constant(GOOD)), edgeCaseText()),
    }),
  ),
  async read({ signed: one, text }) {
    const token = one ? tokenOf(one) : text
    const id = legacyTokenId(token)
    holds(id === undefined || /^legacy [\w-]{43}$/.test(id), 'the id of a legacy token is a hash')
    const expiry = legacyTokenExpiry(token)
    holds(expiry === undefined || (Number.isSafeInteger(expiry) && expiry >= 0), 'the expiry of a token is a time')
    const claims = await tokens.verify(token)
    holds(/^0x[0-9a-fA-F]{40}$/.test(claims.address), 'a valid token names an address')
    holds(claims.expiresAt > Date.now() / 1000, 'a valid token has not expired')
    holds(typeof claims.jti === 'string', 'a valid token has an id')
    holds(claims.chainId === undefined || typeof claims.chainId === 'number', 'a chain id is a number')
    await tokens.revoke(claims, 0)
  },
})

function tokenOf({ header, claims, secret }: { header: unknown; claims: unknown; secret: string }): string {
  const text = `${part(header)}.${part(claims)}`
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}
