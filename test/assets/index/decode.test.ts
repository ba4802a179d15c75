import { createHash } from 'node:crypto'
import { bytesToHex, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import { didOf } from '../../../src/assets/ddo.js'
import { decodeDocument } from '../../../src/assets/index/decode.js'
import { decompress } from '../../../src/assets/index/lzma.js'
import { encrypt } from '../../../src/crypto/ecies.js'
import { providerKey } from '../../../src/crypto/keys.js'
import vectors from '../../vectors/lzma.json' with { type: 'json' }

const NFT = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
const key = providerKey(`0x${'11'.repeat(32)}`)
const owner = { nft: NFT, chainId: 8996, keys: [key], maxSize: 100_000 } as const

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
  data: bytesToHex(data),
  hash: `0x${createHash('sha256').update(text).digest('hex')}` as Hex,
})
const sealed = (plain: string | Uint8Array) => encrypt(key.publicKey, Buffer.from(plain as string))

describe('published document', () => {
  it.each(['0x', '0x00'] as Hex[])('is read plain with flags %s', async (flags) => {
    expect(await decodeDocument(published(flags, ddo()), owner)).toMatchObject({ ddo: ddo() })
  })

  it('is decrypted with flag 2', async () => {
    expect(await decodeDocument(published('0x02', ddo(), sealed(ddo())), owner)).toMatchObject({ ddo: ddo() })
  })

  it.each(['xz', 'lzma'] as const)('is decrypted, then decompressed from .%s with flag 3', async (form) => {
    const data = sealed(Buffer.from(vectors[form], 'hex'))
    // not a DDO, and said to be so only after its hash was found right
    const decoded = await decodeDocument(published('0x03', vectors.text, data), owner)
    expect(decoded).toMatchObject({ reason: expect.stringContaining('not a valid DDO') })
  })

  it('is refused with another hash, other flags, another key or another NFT', async () => {
    const good = published('0x02', ddo(), sealed(ddo()))
    const reasons = await Promise.all([
      decodeDocument({ ...good, hash: `0x${'00'.repeat(32)}` }, owner),
      decodeDocument({ ...good, flags: '0x04' }, owner),
      decodeDocument(good, { ...owner, keys: [providerKey(`0x${'22'.repeat(32)}`)] }),
      decodeDocument(published('0x00', ddo(`0x${'ab'.repeat(20)}`)), owner),
      decodeDocument(published('0x00', '{'), owner),
    ])
    expect(reasons.map((decoded) => ('reason' in decoded ? decoded.reason : 'accepted'))).toEqual([
      'does not have the hash that was published with it',
      'unknown flags',
      'not encrypted to this key',
      'is the DDO of another data NFT',
      'is not JSON text',
    ])
  })
})

describe('decompression', () => {
  it.each(['xz', 'lzma'] as const)('reads .%s as Python writes it', async (form) => {
    expect(Buffer.from(await decompress(Buffer.from(vectors[form], 'hex'), 10_000)).toString()).toBe(vectors.text)
  })

  it.each(['xz', 'lzma'] as const)('threat 18: stops a .%s bomb at the limit', async (form) => {
    await expect(decompress(Buffer.from(vectors.bombs[form], 'hex'), 100_000)).rejects.toThrow(
      'larger than MAX_DDO_SIZE',
    )
  })

  it.each(['xz', 'lzma'] as const)('refuses a .%s that ends early', async (form) => {
    const whole = Buffer.from(vectors[form], 'hex')
    for (const cut of [1, 20, whole.length - 14])
      await expect(decompress(whole.subarray(0, whole.length - cut), 10_000)).rejects.toThrow('cannot be decompressed')
  })
})
