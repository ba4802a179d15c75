import fc from 'fast-check'
import { DocumentReader } from '../../../packages/catalog/src/documents.js'
import { TaskSandbox } from '../../../packages/provider/src/tasks/task-sandbox.js'
import { CACHED, CHAIN_ID, DDO_4, DDO_5, KEY, NFT, sha256 } from '../lib/honest.js'
import { mutatedJson } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

const reader = new DocumentReader(new TaskSandbox(), 1_000_000)
const publisher = { nft: NFT, chain: { chainId: CHAIN_ID, keys: [KEY] } }

/** Documents that the sandbox's threads read: from the chain, from caches and before publication. */
export default target({
  runs: 30,
  inputs: mutatedJson(fc.constantFrom<unknown>(DDO_4, DDO_5, CACHED)),
  async read(text: string) {
    const published = {
      flags: '0x' as const,
      data: `0x${Buffer.from(text).toString('hex')}` as const,
      hash: sha256(text),
    }
    const [decoded, copy, validated] = await Promise.all([
      reader.decode(published, publisher),
      reader.decodeCopy(text, sha256(text), publisher),
      reader.validate(Buffer.from(text)),
      reader.hint(text),
    ])
    for (const read of [decoded, copy])
      holds(
        'reason' in read ? !/cannot be read|memory|too long to/.test(read.reason) : read.ddo,
        'a document is read to its end',
      )
    holds('problems' in validated || 'ddo' in decoded, 'a publishable document can be read')
  },
})
