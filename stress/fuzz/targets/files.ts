import fc from 'fast-check'
import { encrypt } from '../../../packages/protocol/src/crypto/ecies.js'
import { fileAt, openFiles } from '../../../packages/storage/src/files.js'
import { STORAGE_LIMITS } from '../../../packages/storage/src/limits.js'
import { DATATOKEN, DESCRIPTORS, KEY, NFT, OLD_KEY } from '../lib/honest.js'
import { mutatedJson, mutatedText } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const owner = { keys: [KEY, OLD_KEY], nft: NFT, datatoken: DATATOKEN, ddoVersion: '4.0.0', allowUnbound: true }
const honest = fc.constantFrom<unknown>(
  { nftAddress: NFT, datatokenAddress: DATATOKEN, files: DESCRIPTORS },
  DESCRIPTORS,
)
const SEALED = `0x${encrypt(KEY.publicKey, Buffer.from(JSON.stringify(DESCRIPTORS))).toString('hex')}`

/** The encrypted files of a service: their format, and the decrypted list. */
export default target({
  inputs: fc.oneof(
    { arbitrary: fc.record({ plain: mutatedJson(honest) }), weight: 3 },
    { arbitrary: fc.record({ sealed: fc.oneof(mutatedText(fc.constant(SEALED)), edgeCaseText()) }), weight: 1 },
  ) as fc.Arbitrary<{ plain?: string; sealed?: string }>,
  read({ plain, sealed = `0x${encrypt(KEY.publicKey, Buffer.from(plain ?? '')).toString('hex')}` }) {
    const files = openFiles(sealed, owner)
    holds(files.length > 0 && files.length <= STORAGE_LIMITS.files.count, 'the number of files is bounded')
    for (const index of [0, files.length - 1])
      holds(fileAt(files, index) === files[index], 'a file is found at its index')
  },
})
