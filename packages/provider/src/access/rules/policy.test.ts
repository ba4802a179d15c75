import { createHash } from 'node:crypto'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
import type { CredentialEntry } from '../../../../protocol/src/ddo/credentials.js'
import { type Ddo, didOf, readDdo } from '../../../../protocol/src/ddo/ddo.js'
import { PROTOCOL_LIMITS } from '../../../../protocol/src/limits.js'
import { AccessLists } from './access-lists.js'
import { assertAdmitted } from './policy.js'

const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const CONSUMER = '0x0123456789abcdefABCDEF0123456789abcdefAB'

/** No access list can be queried here. */
const NOWHERE = { lists: new AccessLists(new Map(), 1000), chainId: 1, hasPolicies: false }

/** A document with as many values as it may hold, in a service and in the asset. */
function documentWith(values: unknown[]): Ddo {
  const half = values.length / 2
  const entry = (some: unknown[]) => ({ type: 'address', values: some })
  const service = { id: '1', type: 'access', files: '0x04', datatokenAddress: NFT, serviceEndpoint: '', timeout: 0 }
  const read = readDdo({
    id: didOf(NFT, 1),
    version: '4.5.0',
    chainId: 1,
    nftAddress: NFT,
    credentials: { deny: [entry(values.slice(0, half))] },
    services: [{ ...service, credentials: { allow: [entry(values.slice(half)), entry([CONSUMER])] } }],
  })
  if ('problems' in read) throw new Error(JSON.stringify(read.problems))
  return read.ddo
}

describe('the largest credentials that a document may have', () => {
  const many = (value: (at: number) => unknown) =>
    Array.from({ length: PROTOCOL_LIMITS.document.credentialValues - 2 }, (_, at) => value(at))
  const someone = (at: number) => `0x${createHash('sha256').update(String(at)).digest('hex').slice(0, 40)}`

  /** How often one request looks into the lists of a document. Anything but a look-up of one value fails. */
  function lookUps(ddo: Ddo): number {
    let count = 0
    const counted = (entry: CredentialEntry): CredentialEntry => {
      if (entry.kind !== 'addresses') return entry
      const has = (address: string) => {
        count += 1
        return entry.addresses.has(address)
      }
      return { ...entry, addresses: { has } as ReadonlySet<string> }
    }
    const credentials = [...ddo.credentials, ...(ddo.services[0]?.credentials ?? [])].map((one) => ({
      ...one,
      allow: one.allow.map(counted),
      deny: one.deny.map(counted),
    }))
    assertAdmitted(CONSUMER.toLowerCase() as Address, credentials, NOWHERE)
    return count
  }

  it.each([
    ['addresses', someone],
    ['objects', (at: number) => ({ address: someone(at) })],
    // to convert each of these to lower case takes a microsecond
    ['letters of other scripts', () => 'İ'.repeat(42)],
    ['addresses but for one letter', () => `0x${'İ'.repeat(40)}`],
  ])('cost a request no more than the smallest: %s', (_, value) => {
    const few = lookUps(documentWith([someone(1), someone(2)]))
    expect(few).toBeGreaterThan(1)
    expect(lookUps(documentWith(many(value)))).toBeLessThanOrEqual(few)
  })

  it('refuse with the code that market front ends look for', () => {
    const { credentials, services } = documentWith([CONSUMER, someone(1)])
    const refusal = (consumer: Address, lists = credentials) => {
      try {
        assertAdmitted(consumer, lists, NOWHERE)
      } catch (error) {
        return error as { code: string; message: string }
      }
      throw new Error('It was not refused.')
    }
    const [denied, unlisted] = [refusal(CONSUMER), refusal(NFT, services[0]?.credentials)]
    expect([denied.code, unlisted.code]).toEqual(['CREDENTIALS_DENIED', 'CREDENTIALS_DENIED'])
    expect(denied.message).toContain('denied with code: ConsumableCodes.CREDENTIAL_IN_DENY_LIST')
    expect(unlisted.message).toContain('denied with code: ConsumableCodes.CREDENTIAL_NOT_IN_ALLOW_LIST')
  })

  it('match addresses regardless of case', () => {
    const ddo = documentWith([someone(1), '*'])
    expect(() => assertAdmitted(CONSUMER, ddo.credentials, NOWHERE)).not.toThrow()
    const denied = documentWith([{ address: CONSUMER.toUpperCase() }, someone(1)])
    expect(() => assertAdmitted(CONSUMER, denied.credentials, NOWHERE)).toThrow('do not admit')
  })
})
