import type { Chains } from '@tidegate/chain'
import { readList } from '../../access/rules/list-reader.js'
import type { Settings } from '../../config/schema.js'
import type { Finding } from './files.js'

/** Reads the access lists of publishers. A chain whose list cannot be read has no search. */
export async function* publisherFindings(
  { AUTHORIZED_PUBLISHERS_LIST: lists }: Settings,
  chains: Chains,
): AsyncGenerator<Finding> {
  for (const [chainId, addresses] of lists?.byChain ?? []) {
    const chain = chains.get(chainId)
    for (const list of addresses) {
      const read = chain
        ? await readList(chain, list).catch(() => 'cannot be read: no node answers')
        : 'is on a chain that is not served'
      const ok = typeof read === 'object'
      const text = ok ? `has ${read.members.size} publisher(s)` : read
      yield { ok, text: `chain ${chainId}: access list ${list} ${text}` }
    }
  }
}
