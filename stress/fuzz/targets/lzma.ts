import fc from 'fast-check'
import { decompress } from '../../../packages/protocol/src/ddo/on-chain/lzma.js'
import vectors from '../../../test/vectors/lzma.json' with { type: 'json' }
import { mutatedBytes } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

const MAX_SIZE = 200_000
const honest = fc.constantFrom(vectors.xz, vectors.lzma).map((hex) => Buffer.from(hex, 'hex') as Uint8Array)
/** The older container with an arbitrary header, before valid or mutated data. */
const header = fc
  .tuple(
    fc.nat({ max: 255 }),
    fc.nat({ max: 0xffffffff }),
    fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    mutatedBytes(honest),
  )
  .map(([properties, dictionary, size, rest]) => {
    const bytes = Buffer.alloc(13)
    bytes.writeUInt8(properties)
    bytes.writeUInt32LE(dictionary, 1)
    bytes.writeBigUInt64LE(size, 5)
    return Buffer.concat([bytes, rest.subarray(13)]) as Uint8Array
  })

/** Compressed documents in either container. */
export default target({
  inputs: fc.oneof(mutatedBytes(honest), header, fc.uint8Array({ maxLength: 100 }) as fc.Arbitrary<Uint8Array>),
  isRejection: ({ message }) => /^(?:cannot be decompressed|larger than MAX_DDO_SIZE)$/.test(message),
  async read(bytes: Uint8Array) {
    const { length } = await decompress(bytes, MAX_SIZE)
    holds(length <= MAX_SIZE, 'the output is within its limit')
  },
})
