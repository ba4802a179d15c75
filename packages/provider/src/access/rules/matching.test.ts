import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import { type Ddo, didOf, readDdo } from '../../../../protocol/src/ddo/ddo.js'
import { PROTOCOL_LIMITS } from '../../../../protocol/src/limits.js'
import { AccessLists } from './access-lists.js'
import { assertAdmitted } from './policy.js'

const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const ME = '0x0123456789abcdefABCDEF0123456789abcdefAB'

type Json = Record<string, unknown>
type Version = 4 | 5

function read(version: Version, credentials: unknown) {
  const service = { id: '1', type: 'access', files: '0x04', datatokenAddress: NFT, serviceEndpoint: '', timeout: 0 }
  const common = { chainId: 1, nftAddress: NFT, services: [service], credentials }
  const head = { id: didOf(NFT, 1, version), version: `${version}.0.0` }
  return readDdo(version === 4 ? { ...head, ...common } : { ...head, credentialSubject: common })
}

/** What the credentials decide: `asks` where an access list has to be queried, `policy` where the policy server decides. */
function verdict(version: Version, credentials: unknown, hasPolicies = false): string {
  const checked = read(version, credentials)
  if ('problems' in checked) return JSON.stringify(checked.problems)
  const nowhere = { lists: new AccessLists(new Map(), 1000), chainId: 1, hasPolicies }
  try {
    const asked = assertAdmitted(ME, (checked as { ddo: Ddo }).ddo.credentials, nowhere)
    if (typeof asked === 'boolean') return asked ? 'policy' : 'admits'
    asked.catch(() => undefined)
    return 'asks'
  } catch {
    return 'denies'
  }
}

const me = { type: 'address', values: [ME] }
const other = { type: 'Address', values: [NFT] }
const open = { type: 'address', values: [] }
const malformed = { type: 'address' }
const unknown = { type: 'proofOfHumanity', values: [ME] }
const list = { type: 'accessList', accessList: NFT }

describe('match_allow and match_deny', () => {
  const cases: [credentials: Json, four: string, five: string][] = [
    [{ allow: [me, other] }, 'admits', 'denies'],
    [{ allow: [me, other], match_allow: 'any' }, 'admits', 'admits'],
    [{ allow: [me, other], match_allow: 'ANY' }, 'admits', 'admits'],
    [{ allow: [me, other], match_allow: 'all' }, 'denies', 'denies'],
    [{ allow: [me, me], match_allow: 'all' }, 'admits', 'admits'],
    [{ allow: [me, open] }, 'admits', 'admits'],
    [{ allow: [me, unknown] }, 'admits', 'denies'],
    [{ allow: [me, malformed] }, 'admits', 'denies'],
    [{ allow: [me, other], match_allow: null }, 'admits', 'denies'],
    // an unknown value counts as the stricter one
    [{ allow: [me, other], match_allow: 'some' }, 'denies', 'denies'],
    [{ allow: [me, other], match_allow: 7 }, 'denies', 'denies'],
    [{ allow: [me], match_allow: { any: true } }, 'admits', 'admits'],
    [{ deny: [me, other] }, 'denies', 'denies'],
    [{ deny: [me, other], match_deny: 'any' }, 'denies', 'denies'],
    [{ deny: [me, other], match_deny: 'all' }, 'admits', 'admits'],
    [{ deny: [me, me], match_deny: 'All' }, 'denies', 'denies'],
    [{ deny: [me, unknown, open], match_deny: 'all' }, 'denies', 'denies'],
    [{ deny: [other, malformed], match_deny: 'all' }, 'admits', 'admits'],
    [{ deny: [me, malformed], match_deny: 'all' }, 'denies', 'denies'],
    [{ deny: [unknown], match_deny: 'all' }, 'admits', 'admits'],
    [{ deny: [me, other], match_deny: 'most' }, 'denies', 'denies'],
    [{ allow: [me], deny: [me, other], match_deny: 'all' }, 'admits', 'admits'],
  ]
  it.each(cases)('%j', (credentials, four, five) => {
    expect([verdict(4, credentials), verdict(5, credentials), verdict(5, [credentials])]).toEqual([four, five, five])
  })

  it('of version 5 require all plain entries to name the consumer', () => {
    expect([verdict(5, [me]), verdict(5, [me, me]), verdict(5, [me, other])]).toEqual(['admits', 'admits', 'denies'])
  })
})

describe('an access list', () => {
  it.each<[string, Json, four: string, five: string]>([
    ['is queried where it decides', { allow: [list] }, 'asks', 'asks'],
    ['is asked where it may deny', { allow: [me], deny: [list] }, 'asks', 'asks'],
    ['may be of another chain', { allow: [{ ...list, chainId: 137 }] }, 'asks', 'asks'],
    ['may give no chain', { allow: [{ ...list, chainId: null }] }, 'asks', 'asks'],
    ['is known in any case', { allow: [{ ...list, type: 'ACCESSLIST' }] }, 'asks', 'asks'],
    ['is not asked beside an address that suffices', { allow: [list, me], match_allow: 'any' }, 'admits', 'admits'],
    ['is not asked beside an address that all need', { allow: [list, other], match_allow: 'all' }, 'denies', 'denies'],
    ['is asked where all must match', { allow: [list, me], match_allow: 'all' }, 'asks', 'asks'],
    ['is not asked after a denial', { allow: [list], deny: [me] }, 'denies', 'denies'],
    ['is not asked to deny who is not allowed', { allow: [other], deny: [list] }, 'denies', 'denies'],
    ['is not asked to deny where others do not', { deny: [list, other], match_deny: 'all' }, 'admits', 'admits'],
  ])('%s', (_, credentials, four, five) => {
    expect([verdict(4, credentials), verdict(5, credentials)]).toEqual([four, five])
  })

  const MALFORMED = [
    {},
    { accessList: null },
    { accessList: NFT.slice(0, -1) },
    { accessList: [NFT] },
    { accessList: { address: NFT } },
    { values: [NFT] },
    { accessList: NFT, chainId: '1' },
    { accessList: NFT, chainId: 0 },
    { accessList: NFT, chainId: 1.5 },
    { accessList: NFT, chainId: 2 ** 60 },
  ]
  it.each(MALFORMED)('admits nobody and denies everybody when it is malformed: %j', (fields) => {
    const wrong = { type: 'accessList', ...fields }
    for (const version of [4, 5] as const) {
      expect(verdict(version, { allow: [wrong] })).toBe('denies')
      expect(verdict(version, { allow: [me], deny: [wrong] })).toBe('denies')
    }
    expect(verdict(4, { allow: [wrong, me] })).toBe('admits')
  })

  it('is refused in a document that has too many of them', () => {
    const most = PROTOCOL_LIMITS.document.accessLists
    const some = (count: number) => Array.from({ length: count }, () => ({ ...list, type: 'AccessList' }))
    expect(verdict(4, { allow: some(most) })).toBe('asks')
    expect(verdict(5, [{ allow: some(most / 2), deny: some(most / 2) }])).toBe('asks')
    for (const credentials of [{ allow: some(most + 1) }, [{ allow: some(most) }, list], [...some(most), list]])
      expect(verdict(5, credentials)).toContain(`must not name more than ${most} access lists`)
  })
})

describe('without an answer from the chain', () => {
  const nowhere = { lists: new AccessLists(new Map(), 1000), chainId: 1, hasPolicies: false }
  const ends = async (credentials: Json) => {
    const { ddo } = read(4, credentials) as { ddo: Ddo }
    return Promise.resolve(assertAdmitted(ME as Address, ddo.credentials, nowhere)).then(
      () => 'admitted',
      (error: { code: string }) => error.code,
    )
  }
  it('an access list in allow admits nobody, and one in deny makes the request fail', async () => {
    expect(await ends({ allow: [list] })).toBe('CREDENTIALS_DENIED')
    expect(await ends({ deny: [list] })).toBe('CREDENTIALS_UNAVAILABLE')
    expect(await ends({ allow: [list], deny: [list] })).toBe('CREDENTIALS_DENIED')
    expect(await ends({ deny: [list, me], match_deny: 'all' })).toBe('CREDENTIALS_UNAVAILABLE')
  })
})

describe('with a policy server', () => {
  const ssi = { type: 'SSIpolicy', values: [{ request_credentials: [{ type: 'Degree', format: 'jwt_vc_json' }] }] }
  it.each<[string, Json, four: string, five: string]>([
    ['is asked about an entry of another type', { allow: [ssi] }, 'policy', 'policy'],
    ['is not asked about who is admitted already', { allow: [ssi, me] }, 'admits', 'policy'],
    ['is asked beside an address that all need', { allow: [ssi, me], match_allow: 'all' }, 'policy', 'policy'],
    ['is asked beside an empty entry', { allow: [ssi, open] }, 'policy', 'policy'],
    ['is not asked about who is denied', { allow: [ssi], deny: [me] }, 'denies', 'denies'],
    [
      'is not asked beside an address that all need and nobody has',
      { allow: [ssi, other], match_allow: 'all' },
      'denies',
      'denies',
    ],
    ['is asked where any may match', { allow: [ssi, other], match_allow: 'any' }, 'policy', 'policy'],
    ['is asked after the access lists', { allow: [ssi, list], match_allow: 'all' }, 'asks', 'asks'],
    ['is not asked about a malformed entry', { allow: [ssi, malformed], match_allow: 'all' }, 'denies', 'denies'],
    ['denies nobody', { deny: [ssi] }, 'admits', 'admits'],
  ])('it %s', (_, credentials, four, five) => {
    expect([verdict(4, credentials, true), verdict(5, credentials, true)]).toEqual([four, five])
  })

  it('each level needs its own admission: an address that the asset names passes no service', () => {
    const [asset, service] = [{ allow: [me] }, { allow: [ssi] }].map(
      (one) => (read(5, one) as { ddo: Ddo }).ddo.credentials,
    )
    const judges = { lists: new AccessLists(new Map(), 1000), chainId: 1, hasPolicies: true }
    expect(assertAdmitted(ME, [...(asset ?? []), ...(service ?? [])], judges)).toBe(true)
    const denied = (read(5, { allow: [other] }) as { ddo: Ddo }).ddo.credentials
    expect(() => assertAdmitted(ME, [...(service ?? []), ...denied], judges)).toThrow('do not admit')
  })
})

describe('an access list that gives no answer, with a policy server', () => {
  it('leaves nothing to the policy server where the list may deny', async () => {
    const { ddo } = read(5, { allow: [{ type: 'SSIpolicy' }], deny: [list] }) as { ddo: Ddo }
    const judges = { lists: new AccessLists(new Map(), 1000), chainId: 1, hasPolicies: true }
    await expect(assertAdmitted(ME, ddo.credentials, judges)).rejects.toMatchObject({ code: 'CREDENTIALS_UNAVAILABLE' })
  })
})
