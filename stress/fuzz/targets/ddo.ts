import fc from 'fast-check'
import { readDdo, readPublishableDdo } from '../../../packages/protocol/src/ddo/ddo.js'
import type { IndexedAsset } from '../../../packages/protocol/src/ddo/indexed.js'
import { opened } from '../../../packages/protocol/src/ddo/opened.js'
import { assetDocument } from '../../../packages/protocol/src/ddo/served-document.js'
import { validateDocument } from '../../../packages/protocol/src/ddo/validate.js'
import { PROTOCOL_LIMITS } from '../../../packages/protocol/src/limits.js'
import { AccessLists } from '../../../packages/provider/src/access/rules/access-lists.js'
import { environmentsFor } from '../../../packages/provider/src/access/rules/environments.js'
import { assertAdmitted } from '../../../packages/provider/src/access/rules/policy.js'
import type { Settings } from '../../../packages/provider/src/config/schema.js'
import { CHAIN_ID, CONSUMER, DATATOKEN, DDO_4, DDO_5, NFT, TX } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { edgeCaseJson } from '../lib/odd.js'
import { holds, target } from '../lib/target.js'

const honest = fc.constantFrom<unknown>(DDO_4, DDO_5)
/** No access list can be queried. */
const NO_CHAIN = { lists: new AccessLists(new Map(), 1000), chainId: CHAIN_ID, hasPolicies: true }
const SETTINGS = { COMPUTE_ENVIRONMENTS: [] as unknown[] } as Settings

/** A parsed document as a DDO, with the later processing of its parts on the event loop. */
export default target({
  inputs: fc.oneof({ arbitrary: mutated(honest), weight: 9 }, { arbitrary: edgeCaseJson(), weight: 1 }),
  read(input: unknown) {
    const json = JSON.parse(JSON.stringify(input) ?? 'null') as unknown
    const text = JSON.stringify(json)
    // DocumentReader.validate rejects longer ones earlier
    if (text.length > 1_000_000) return
    const validated = validateDocument(Buffer.from(text))
    if ('problems' in validated) {
      const problems = Object.entries(validated.problems)
      holds(
        problems.length > 0 && problems.length <= PROTOCOL_LIMITS.document.problems,
        'a bounded number of problems is reported',
      )
    }
    for (const read of [readPublishableDdo(json), readDdo(json)]) {
      if ('problems' in read) continue
      const { ddo } = read
      for (const { credentials, type } of ddo.services) {
        passesOrDenies(() => {
          const asked = assertAdmitted(CONSUMER, [...ddo.credentials, ...credentials], NO_CHAIN)
          if (typeof asked === 'object') asked.catch(asRefusal)
        })
        passesOrDenies(() => environmentsFor(type, CONSUMER, CHAIN_ID, SETTINGS.COMPUTE_ENVIRONMENTS))
      }
      const asset = opened(indexed(text, ddo.id))
      holds(asset && assetDocument(asset, {}) !== undefined, 'the document is served')
    }
  },
})

/** Both outcomes are fine; any error but AccessError is not. */
function passesOrDenies(check: () => void): void {
  try {
    check()
  } catch (error) {
    asRefusal(error)
  }
}

function asRefusal(error: unknown): void {
  if (!/^(Access|Chain)Error$/.test((error as Error).name)) throw error
}

function indexed(ddo: string, did: string): IndexedAsset {
  const nft = { address: NFT, name: 'x', symbol: 'X', tokenUri: '', owner: CONSUMER, created: '2026-01-01T00:00:00Z' }
  const datatoken = { address: DATATOKEN, nft: NFT, name: 'a', symbol: 'A', orders: 1 }
  const metadata = { nft: NFT, did, state: 0, ddo, reason: null, txId: TX, block: 1, from: CONSUMER, timestamp: 1 }
  return { chainId: CHAIN_ID, nft, datatokens: [datatoken], metadata } as IndexedAsset
}
