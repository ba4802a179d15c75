import { createHash } from 'node:crypto'
import type { Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { DICTIONARIES, lzmaOf, withLzmaHeader, xzOf } from '../../../../test/helpers/containers.js'
import { clock } from '../../../../test/helpers/measured.js'
import vectors from '../../../../test/vectors/lzma.json' with { type: 'json' }
import { encrypt } from '../crypto/ecies.js'
import { providerKey } from '../crypto/keys.js'
import { PROTOCOL_LIMITS } from '../limits.js'
import { didOf } from './ddo.js'
import { decodeDocument } from './decode.js'
import { documentKeys } from './document-keys.js'
import { decompress } from './lzma.js'
import type { Decoded, DocumentOwner, PublishedDocument } from './published-document.js'

const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const key = providerKey(`0x${'11'.repeat(32)}`)
const owner = { nft: NFT, chainId: 8996, maxSize: 100_000 } as const

const decoded = (document: PublishedDocument, of: DocumentOwner = owner, keys = [key]) =>
  decodeDocument(document, of, documentKeys(document, keys))

const ddo = (nft: `0x${string}` = NFT) =>
  JSON.stringify({
    id: didOf(nft, 8996),
    version: '4.1.0',
    chainId: 8996,
    nftAddress: nft,
    services: [{ id: '1', type: 'access', files: '', datatokenAddress: NFT, serviceEndpoint: '', timeout: 0 }],
  })

const published = (flags: Hex, text: string, data: Uint8Array = Buffer.from(text)) => ({
  flags,
  data: `0x${Buffer.from(data).toString('hex')}` as Hex,
  hash: `0x${createHash('sha256').update(text).digest('hex')}` as Hex,
})
const sealed = (plain: string | Uint8Array) => encrypt(key.publicKey, Buffer.from(plain as string))
const reasonOf = (decoded: Decoded) => ('reason' in decoded ? decoded.reason : 'accepted')

describe('a published document', () => {
  it.each(['0x', '0x00'] as Hex[])('is read as plain text with flags %s', async (flags) => {
    expect(await decoded(published(flags, ddo()))).toMatchObject({ ddo: ddo() })
  })

  it('is decrypted with flag 2', async () => {
    expect(await decoded(published('0x02', ddo(), sealed(ddo())))).toMatchObject({ ddo: ddo() })
  })

  it.each(['xz', 'lzma'] as const)('is decrypted, then decompressed from .%s with flag 3', async (form) => {
    const data = sealed(Buffer.from(vectors[form], 'hex'))
    // not a DDO, which is reported only once its hash has been verified
    expect(await decoded(published('0x03', vectors.text, data))).toMatchObject({
      reason: expect.stringContaining('not a valid DDO'),
    })
  })

  it('may carry the hash of its hex text when it is plain, as createAsset of client libraries computes it', async () => {
    const hashOf = (text: string) => `0x${createHash('sha256').update(text).digest('hex')}` as Hex
    const plain = published('0x00', ddo())
    expect(await decoded({ ...plain, hash: hashOf(plain.data) })).toMatchObject({ ddo: ddo() })
    const encrypted = published('0x02', ddo(), sealed(ddo()))
    expect(reasonOf(await decoded({ ...encrypted, hash: hashOf(encrypted.data) }))).toMatch(/hash/)
  })

  it('is rejected with another hash, other flags, another key or another NFT', async () => {
    const good = published('0x02', ddo(), sealed(ddo()))
    const reasons = await Promise.all([
      decoded({ ...good, hash: `0x${'00'.repeat(32)}` }),
      decoded({ ...good, flags: '0x04' }),
      decoded({ ...good, flags: `0x${'00'.repeat(1e6)}02` }),
      decoded(good, owner, [providerKey(`0x${'22'.repeat(32)}`)]),
      decoded(published('0x00', ddo(`0x${'ab'.repeat(20)}`))),
      decoded(published('0x00', '{')),
    ])
    expect(reasons.map(reasonOf)).toEqual([
      'does not have the hash that was published with it',
      'unknown flags',
      'unknown flags',
      'not encrypted to this key',
      'is the DDO of another data NFT',
      'is not JSON text',
    ])
  })

  it('is rejected before parsing when it is too long, too deep or has too many parts (threat 37)', async () => {
    const large = { ...owner, maxSize: 12e6 }
    const read = async (text: string, of = large) => reasonOf(await decoded(published('0x00', text), of))
    const begun = clock()
    expect(await read(`${ddo().slice(0, -1)},"x":"${'x'.repeat(200_000)}"}`, owner as never)).toBe(
      'larger than MAX_DDO_SIZE',
    )
    expect(await read('['.repeat(100_000) + ']'.repeat(100_000))).toBe('is nested deeper than 32 levels')
    expect(await read('['.repeat(10e6))).toBe('is nested deeper than 32 levels')
    expect(await read(`[${'[],'.repeat(3e6)}1]`)).toBe('holds more than 50000 values')
    expect(await read(`{"services":[${'{},'.repeat(3e6)}{}]}`)).toBe('holds more than 50000 values')
    expect(await read(`{${Array.from({ length: 1e6 }, (_, at) => `"${at}":1`)}}`)).toBe('holds more than 5000 keys')
    expect(await read(`{"id":"${'"'.repeat(5e6)}`)).toBe('is not JSON text')
    // brackets within strings are not structure, and long strings are allowed
    const text = `${ddo().slice(0, -1)},"metadata":{"description":${JSON.stringify('[{",:\\"'.repeat(200_000))}}}`
    expect(await read(text)).toBe('accepted')
    expect(clock() - begun).toBeLessThan(5000)
  })
})

describe('decompression', () => {
  it.each(['xz', 'lzma'] as const)('reads .%s as Python writes it', async (form) => {
    expect(Buffer.from(await decompress(Buffer.from(vectors[form], 'hex'), 10_000)).toString()).toBe(vectors.text)
  })

  it.each(['xz', 'lzma'] as const)('stops a .%s bomb at the limit (threat 18)', async (form) => {
    await expect(decompress(Buffer.from(vectors.bombs[form], 'hex'), 100_000)).rejects.toThrow(
      'larger than MAX_DDO_SIZE',
    )
  })

  it.each([
    'xz',
    'lzma',
  ] as const)('stops a .%s that inflates more than is allowed, unless it is short', async (form) => {
    const readings = Array.from(
      { length: 3000 },
      (_, at) => `reads the gauge at hour ${at}, in metres above chart datum. `,
    )
    const text = readings.map((one) => `The harbour master ${one}`).join('')
    const data = Buffer.from(vectors.readings[form], 'hex')
    const inflation = text.length / data.length
    expect(Buffer.from(await decompress(data, 1_048_576, inflation)).toString()).toBe(text)
    await expect(decompress(data, 1_048_576, inflation - 1)).rejects.toThrow(
      'inflates more than MAX_DDO_INFLATION times',
    )
    expect((await decompress(Buffer.from(vectors[form], 'hex'), 10_000, 1)).length).toBeGreaterThan(0)
  })

  it.each(['xz', 'lzma'] as const)('rejects a .%s that is truncated at any byte', async (form) => {
    const whole = Buffer.from(vectors[form], 'hex')
    for (let length = 0; length <= whole.length - (form === 'xz' ? 1 : 6); length++)
      await expect(decompress(whole.subarray(0, length), 10_000), String(length)).rejects.toThrow(
        'cannot be decompressed',
      )
  })

  it('rejects trailing data after an .xz, and ignores it after an .lzma', async () => {
    const more = (form: 'xz' | 'lzma') =>
      Buffer.concat([Buffer.from(vectors[form], 'hex'), Buffer.alloc(100_000, 0xff)])
    await expect(decompress(more('xz'), 10_000)).rejects.toThrow('cannot be decompressed')
    expect(Buffer.from(await decompress(more('lzma'), 10_000)).toString()).toBe(vectors.text)
  })

  const TEXT = Buffer.from(ddo().repeat(50))
  const plain = async (data: Uint8Array) => Buffer.from(await decompress(data, 100_000))
  const buffers = () => process.memoryUsage().arrayBuffers

  it('allocates what the document needs when an .lzma header asks for 4 GiB (threat 38)', async () => {
    const honest = lzmaOf(TEXT)
    const before = buffers()
    expect(await plain(honest)).toEqual(TEXT)
    const usual = buffers() - before
    for (const dictionary of [0xffffffff, 0x80000000, 0]) {
      expect(await plain(withLzmaHeader(honest, { dictionary })).catch(() => 'refused')).toEqual(
        dictionary === 0 ? 'refused' : TEXT,
      )
      // no garbage collection has run yet, so an allocation of 4 GiB would show
      expect(buffers() - before).toBeLessThan(usual + 10e6)
    }
  })

  it('rejects an .lzma header with impossible properties or a wrong size (threat 38)', async () => {
    const honest = lzmaOf(TEXT)
    const refused = (changed: Parameters<typeof withLzmaHeader>[1]) =>
      decompress(withLzmaHeader(honest, changed), 100_000).then(
        () => 'accepted',
        (error: Error) => error.message,
      )
    expect(await refused({ size: 2n ** 63n })).toBe('larger than MAX_DDO_SIZE')
    expect(await refused({ size: 100_001n })).toBe('larger than MAX_DDO_SIZE')
    expect(await refused({ size: BigInt(TEXT.length - 1) })).toBe('cannot be decompressed')
    // eight literal context bits and four position bits make a table of 3 million entries
    for (const properties of [255, 225, 4 * 45 + 4 * 9 + 8, 8, 2 * 9 + 3])
      expect(await refused({ properties })).toBe('cannot be decompressed')
  })

  it('rejects an .xz with a dictionary of 4 GiB in any block, and reads one of 64 MiB without allocating it (threat 38)', async () => {
    const { small, preset9, largest } = DICTIONARIES
    const before = process.memoryUsage().rss
    for (const codes of [[small], [preset9], [small, preset9, small, preset9]])
      expect(await plain(xzOf(TEXT, ...codes))).toEqual(TEXT)
    for (const codes of [[largest], [largest, small], [small, largest], [preset9 + 1]])
      await expect(decompress(xzOf(TEXT, ...codes), 100_000)).rejects.toThrow('cannot be decompressed')
    expect(process.memoryUsage().rss - before).toBeLessThan(40e6)
  })

  it('stops at 50,000 empty services of 349,000 that a few hundred bytes on the chain expand to (threat 37)', async () => {
    for (const form of ['xz', 'lzma'] as const) {
      const data = Buffer.from(vectors.services[form], 'hex')
      const text = Buffer.from(await decompress(data, 1_048_576)).toString()
      const read = await decoded(published('0x01', text, data), { ...owner, maxSize: 1_048_576 })
      expect(reasonOf(read)).toBe(`holds more than ${PROTOCOL_LIMITS.document.values} values`)
    }
  })
})
