import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Chain } from '../../../chain/src/chains.js'
import { loadSettings } from '../config/load.js'
import { defaultPrice, fittingRule, nameOf, priceByRule, ruleProblems, totalBytes } from './fees.js'

const TOKEN: Address = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const OTHER: Address = '0xBE5449a6A97aD46c8558A3356267Ee5D2731ab5e'
const DID = `did:op:${'a'.repeat(64)}`
const GIB = 1024 ** 3
const DAY = 86_400
const ZERO: Address = '0x0000000000000000000000000000000000000000'

const chain = (chainId: number, token: Address = TOKEN) => ({ chainId, fee: { token, amount: 3n } }) as unknown as Chain

const base = { NETWORK_URL: 'http://127.0.0.1:8545', PROVIDER_PRIVATE_KEY: `0x${'11'.repeat(32)}` }
const rulesOf = (rules: unknown) => loadSettings({ ...base, PROVIDER_FEES: JSON.stringify(rules) }).PROVIDER_FEES
const problem = (rules: unknown) => {
  try {
    rulesOf(rules)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

describe('rules for the provider fee', () => {
  const subject = { chain: chain(1), did: DID, publisher: async () => OTHER, serviceType: 'access' }
  const chosen = async (rules: unknown, changed: object = {}) =>
    nameOf(await fittingRule(rulesOf(rules), { ...subject, ...changed }))

  it('apply by first match on chain, asset, publisher and type of service', async () => {
    const rules = [
      { name: 'elsewhere', chain: 2, flat: 1 },
      { name: 'asset', asset: DID, chain: 1, flat: 1 },
      { name: 'publisher', publisher: OTHER.toLowerCase(), flat: 0 },
      { name: 'compute', type: 'compute', perDay: 1 },
      { flat: 1, chain: 1 },
    ]
    expect(await chosen(rules)).toBe('asset')
    expect(await chosen(rules, { chain: chain(2) })).toBe('elsewhere')
    const other = { did: `did:op:${'b'.repeat(64)}` }
    expect(await chosen(rules, other)).toBe('publisher')
    expect(await chosen(rules, { ...other, publisher: async () => TOKEN })).toBe('5')
    expect(await chosen(rules, { ...other, publisher: async () => undefined })).toBe('5')
    expect(await chosen(rules, { serviceType: 'compute' })).toBe('compute')
    expect(await chosen(rules.slice(3), { chain: chain(3) })).toBe('default')
  })

  it('look up a publisher only if a rule depends on it', async () => {
    const publisher = async () => {
      throw new Error('looked up')
    }
    expect(await chosen([{ publisher: OTHER, chain: 2, flat: 1 }, { flat: 1 }], { publisher })).toBe('2')
  })

  it('charge exactly in the smallest unit, each part rounded up', () => {
    const [rule] = rulesOf([{ token: OTHER, flat: '100', perGiB: '1000000000000000000001', perDay: '7' }])
    if (!rule) throw new Error('no rule')
    const price = (bytes: number, seconds = 0, timeout = 0) =>
      priceByRule(rule, chain(1), { bytes: BigInt(bytes), seconds, timeout })
    expect(price(GIB)).toEqual({ token: OTHER, amount: 100n + 1000000000000000000001n + 7n })
    expect(price(GIB / 2).amount).toBe(100n + 500000000000000000001n + 7n)
    expect(price(1).amount).toBe(100n + 931322574616n + 7n)
    expect(price(0).amount).toBe(107n)
    expect(price(0, DAY).amount).toBe(107n)
    expect(price(0, DAY + 1).amount).toBe(114n)
    // access lasts for the service's timeout, even if validUntil is near
    expect(price(0, 1, 10 * DAY).amount).toBe(170n)
    expect(price(0, -5_000_000_000).amount).toBe(107n)
    const [least] = rulesOf([{ perGiB: 1 }])
    expect(least && priceByRule(least, chain(1), { bytes: 1n, seconds: 0, timeout: 0 })).toEqual({
      token: TOKEN,
      amount: 1n,
    })
  })

  it('stay within the range of the contract, whatever the size and time', () => {
    const most = String(2n ** 192n - 1n)
    const [rule] = rulesOf([{ flat: most, perGiB: most, perDay: most }])
    const seconds = Number.MAX_SAFE_INTEGER
    const bytes = totalBytes(Array(1000).fill(seconds))
    expect(bytes).toBe(1000n * BigInt(seconds))
    const { amount } = priceByRule(rule as never, chain(1), { bytes, seconds, timeout: seconds })
    expect(amount < 2n ** 256n).toBe(true)
  })

  it('count no size that is unknown, or no number of bytes', () => {
    expect(totalBytes([undefined, 2, -5, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60, 3])).toBe(5n)
    expect(totalBytes([])).toBe(0n)
  })

  it('fall back to the fee of the chain or environment if none matches', () => {
    expect(defaultPrice(chain(1), null, 100)).toEqual({ token: TOKEN, amount: 3n })
    const environment = { id: 'a', consumerAddress: OTHER, pricePerMinute: 7n }
    expect(defaultPrice(chain(1), environment, 61).amount).toBe(14n)
  })

  it.each([
    ['no list', {}, 'PROVIDER_FEES: must be a JSON list of rules.'],
    ['no object', [5], 'rule 1: must be an object'],
    ['no amount', [{ chain: 1 }], 'rule 1: needs one of flat, perGiB, perDay'],
    ['a misspelt field', [{ flat: 1 }, { perGb: 1, flat: 1 }], 'rule 2: has a field that is none of name, chain,'],
    ['a fraction', [{ flat: '1.5' }], 'rule 1: flat must be a whole number'],
    ['an inexact number', [{ perDay: 1e18 }], 'rule 1: perDay must be a whole number'],
    ['a negative amount', [{ perGiB: -1 }], 'rule 1: perGiB must be a whole number'],
    ['an amount too great', [{ flat: String(2n ** 192n) }], 'below 2^192'],
    ['no token', [{ flat: 1, token: '0x12' }], 'rule 1: token must be an address'],
    ['the zero address', [{ flat: 1, token: ZERO }], 'rule 1: token must not be the zero address'],
    ['no DID', [{ flat: 1, asset: 'did:op:1' }], 'rule 1: asset must be a DID'],
    ['no chain id', [{ flat: 1, chain: '1' }], 'rule 1: chain must be a chain id'],
    ['no publisher', [{ flat: 1, publisher: 'me' }], 'rule 1: publisher must be an address'],
    ['no type', [{ flat: 1, type: 'dataset' }], 'rule 1: type must be access or compute'],
    ['a name twice', [{ flat: 1, name: '2' }, { flat: 1 }], 'rule 2: name is taken'],
    ['two problems', [{ flat: 'x', chain: 0 }], 'rule 1: chain must be a chain id, a number; rule 1: flat must be'],
  ])('are rejected at start with rule and field: %s', (_, rules, message) => {
    expect(problem(rules)).toContain(message)
  })

  it('are rejected by name if they cannot apply to the served chains', () => {
    const chains = new Map([
      [1, chain(1)],
      [2, chain(2, ZERO)],
    ])
    const rules = rulesOf([
      { chain: 3, flat: 1 },
      { chain: 1, flat: 1 },
      { flat: 1 },
      { flat: 0 },
      { flat: 1, token: OTHER },
    ])
    expect(ruleProblems(rules, chains)).toEqual([
      'PROVIDER_FEES: rule 1: chain 3 is not served.',
      'PROVIDER_FEES: rule 3: token must be set, since chain 2 has no PROVIDER_FEE_TOKEN.',
    ])
  })
})
