import type { Hex } from 'viem'
import { journal, type Purpose } from '../state/journal.js'
import { codeOf, type Eip1193Provider } from './provider.js'

/**
 * Returns a wallet whose transactions are recorded before and after its response, so that they survive a reload. `purpose`
 * describes them.
 */
export function journalled(provider: Eip1193Provider, chainId: number, purpose: () => Purpose): Eip1193Provider {
  return {
    async request(call) {
      if (call.method !== 'eth_sendTransaction') return provider.request(call)
      const [{ from, to }] = call.params as [{ from: Hex; to?: Hex }]
      const id = journal.asked({ chainId, from, ...(to ? { to } : {}), ...purpose() })
      try {
        const hash = (await provider.request(call)) as Hex
        journal.sent(id, hash)
        return hash
      } catch (error) {
        // a wallet that gives a reason has sent nothing; after a broken connection it may have
        journal.refused(id, codeOf(error) !== undefined)
        throw error
      }
    },
  }
}
