import fc from 'fast-check'
import type { Hex } from 'viem'
import { encrypt } from '../../../packages/protocol/src/crypto/ecies.js'
import { documentKeys } from '../../../packages/protocol/src/ddo/document-keys.js'
import { decodeDocument } from '../../../packages/protocol/src/ddo/on-chain/decode.js'
import type { PublishedDocument } from '../../../packages/protocol/src/ddo/on-chain/published-document.js'
import vectors from '../../../test/vectors/lzma.json' with { type: 'json' }
import { CHAIN_ID, DDO_4, DDO_5, KEY, NFT, OLD_KEY, sha256 } from '../lib/honest.js'
import { mutatedBytes, mutatedJson } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

const OWNER = { nft: NFT, chainId: CHAIN_ID, maxSize: 1_000_000 }

const plain = fc.oneof(
  { arbitrary: mutatedJson(fc.constantFrom<unknown>(DDO_4, DDO_5)).map((text) => Buffer.from(text)), weight: 6 },
  {
    arbitrary: mutatedBytes(fc.constantFrom(vectors.xz, vectors.lzma).map((hex) => Buffer.from(hex, 'hex'))),
    weight: 3,
  },
  { arbitrary: fc.uint8Array({ maxLength: 300 }), weight: 1 },
)

const event = fc.record({
  plain,
  flags: fc.constantFrom<Hex>('0x', '0x00', '0x01', '0x02', '0x03', '0x04', `0x${'00'.repeat(40)}02`),
  /** Encrypted to the current key, to a previous one, or not at all. */
  to: fc.constantFrom<'new' | 'old' | 'none'>('new', 'old', 'none'),
  sealed: fc.constantFrom<'whole' | 'cut' | 'odd'>('whole', 'whole', 'cut', 'odd'),
  hash: fc.constantFrom<'right' | 'wrong'>('right', 'right', 'right', 'wrong'),
})

/** The document of a metadata event: decrypted, decompressed, hashed, parsed and checked. */
export default target({
  inputs: event,
  replayVerbatim: true,
  async read({ plain: given, flags, to, sealed, hash }) {
    const bytes = Buffer.from(given)
    const data = to === 'none' ? bytes : encrypt((to === 'old' ? OLD_KEY : KEY).publicKey, bytes)
    if (sealed === 'odd' && data.length > 0) data.writeUInt8(data.readUInt8(data.length >> 1) ^ 1, data.length >> 1)
    const published: PublishedDocument = {
      flags,
      data: `0x${(sealed === 'cut' ? data.subarray(0, data.length >> 1) : data).toString('hex')}`,
      hash: hash === 'right' ? sha256(bytes) : `0x${'00'.repeat(32)}`,
    }
    const decoded = await decodeDocument(published, OWNER, documentKeys(published, [KEY, OLD_KEY]))
    if ('reason' in decoded) return holds(decoded.reason.length < 1500, 'the reason is a sentence')
    holds(Buffer.byteLength(decoded.ddo) <= OWNER.maxSize, 'the document is of the allowed size')
    holds(/^did:ope?:[0-9a-f]{64}$/.test(decoded.did), 'the DID is well-formed')
  },
})
