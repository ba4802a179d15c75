import fc from 'fast-check'
import { decodeCopy, readHint } from '../../../packages/protocol/src/ddo/cached-copy.js'
import { CACHED, CACHED_5, CHAIN_ID, DDO_4, KEY, NFT, sha256 } from '../lib/honest.js'
import { mutatedJson } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const OWNER = { nft: NFT, chainId: CHAIN_ID, keys: [KEY], maxSize: 1_000_000 }
const HASH = sha256(JSON.stringify(DDO_4))

/** Responses of a metadata cache: the location of an asset, and the copy of its document. */
export default target({
  inputs: fc.oneof(
    { arbitrary: mutatedJson(fc.constantFrom<unknown>(CACHED, CACHED_5)), weight: 9 },
    { arbitrary: edgeCaseText(), weight: 1 },
  ),
  read(text: string) {
    const hint = readHint(text)
    holds(hint === undefined || /^0x[0-9a-fA-F]{40}$/.test(hint.nft), 'a hint names an NFT')
    const decoded = decodeCopy({ text, hash: HASH, owner: OWNER })
    holds('reason' in decoded || sha256(decoded.ddo) === HASH, 'a copy equals the published document')
    const own = JSON.stringify(JSON.parse(JSON.stringify(CACHED)))
    if (text === own) holds('ddo' in decoded, 'the unchanged copy passes')
  },
})
