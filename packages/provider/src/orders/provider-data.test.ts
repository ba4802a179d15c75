import fc from 'fast-check'
import { type Address, encodePacked, stringToHex } from 'viem'
import { describe, expect, it } from 'vitest'
import { keccak } from '../../../protocol/src/crypto/keccak.js'
import { personalDigest, providerKey, signDigest } from '../../../protocol/src/crypto/keys.js'
import { type EmittedFee, isFileGone, isOwnQuote, opensFile } from './quote.js'

const KEY = providerKey(`0x${'11'.repeat(32)}`)
const DATATOKEN: Address = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const HONEST = { environment: null, timestamp: 1_700_000_000, dt: DATATOKEN, id: 'a', chainId: 1 }

/** A fee that the provider itself has signed over any data. */
function feeOf(data: string): EmittedFee {
  const terms = {
    providerData: stringToHex(data),
    providerFeeAddress: KEY.address,
    providerFeeToken: DATATOKEN,
    providerFeeAmount: 1n,
    validUntil: 0n,
  }
  const packed = encodePacked(
    ['bytes', 'address', 'address', 'uint256', 'uint256'],
    [terms.providerData, KEY.address, DATATOKEN, 1n, 0n],
  )
  return { ...terms, ...signDigest(personalDigest(keccak(Buffer.from(packed.slice(2), 'hex'))), KEY) }
}

/** The files of the service now: their identities by index. */
const IDENTITIES = ['aa', 'bb', 'aa']
const NOW = {
  is: (identity: string, index: number | undefined) => IDENTITIES[index ?? -1] === identity,
  find: (identity: string) => (IDENTITIES.includes(identity) ? IDENTITIES.indexOf(identity) : undefined),
}

/** Whether a fee pays for a file; undefined stands for all files of a service with several. */
const opens = (data: string, file: number | undefined) => {
  const fee = feeOf(data)
  return (
    isOwnQuote(fee, { keys: [KEY], chainId: 1 }, { datatoken: DATATOKEN, serviceId: 'a' }) &&
    opensFile(fee, { fileIndex: file, identities: NOW })
  )
}

const FILES = [0, 1, 2, 999, undefined]

/** The grammar of the data that a quote is signed over. */
describe('providerData', () => {
  it('without fileIndex opens every file, whatever else it says', () => {
    const others = fc.dictionary(
      fc.string().filter((name) => !(name in { ...HONEST, fileIndex: 0 })),
      fc.jsonValue(),
    )
    fc.assert(
      fc.property(others, (other) => {
        for (const file of FILES) expect(opens(JSON.stringify({ ...other, ...HONEST }), file)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })

  it('with fileIndex opens that file alone, whatever else it says', () => {
    fc.assert(
      fc.property(fc.nat(999), fc.jsonValue(), (fileIndex, other) => {
        const data = JSON.stringify({ ...HONEST, fileIndex, files: other, FileIndex: other, fileindex: other })
        expect(opens(data, fileIndex)).toBe(true)
        for (const file of [...FILES, fileIndex + 1].filter((one) => one !== fileIndex))
          expect(opens(data, file)).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  it('with the identity of a file opens it wherever it is now, and says when it is gone (B2)', () => {
    const data = (file: unknown, fileIndex: unknown = 0) => JSON.stringify({ ...HONEST, fileIndex, file })
    expect(FILES.map((index) => opens(data('bb'), index))).toEqual([false, true, false, false, false])
    expect(FILES.map((index) => opens(data('aa', 1), index))).toEqual([true, false, true, false, false])
    for (const wrong of ['cc', null, 0, ['aa'], { length: 2 }])
      expect(FILES.some((index) => opens(data(wrong), index))).toBe(false)
    const isGone = (file: unknown, fileIndex?: unknown) => isFileGone(feeOf(data(file, fileIndex)), { identities: NOW })
    expect([isGone('bb'), isGone('cc'), isGone('cc', 'x'), isGone(undefined)]).toEqual([false, true, false, false])
  })

  it('with a fileIndex that is not an index opens nothing (threat 94)', () => {
    const wrong = fc.oneof(
      fc.jsonValue().filter((value) => !FILES.includes(value as number)),
      fc.nat(999).map(String),
      fc.nat(999).map((index) => [index]),
      fc.constantFrom(null, true, false, '', -1, 0.5, 1e300, 2 ** 64, '0x0', ' 0', {}, []),
    )
    fc.assert(
      fc.property(wrong, (fileIndex) => {
        const data = JSON.stringify({ ...HONEST, fileIndex })
        for (const file of FILES) expect(opens(data, file)).toBe(false)
      }),
      { numRuns: 100 },
    )
  })

  it('that is no object of a quote opens nothing', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.json(),
      fc.constantFrom('', 'null', '[]', '0', '"0"', `[${JSON.stringify(HONEST)}]`),
    )
    fc.assert(
      fc.property(texts, (text) => {
        for (const file of FILES) expect(opens(text, file)).toBe(false)
      }),
      { numRuns: 100 },
    )
  })
})
