import type { Hex } from 'viem'
import { journal, type Purpose } from '../state/journal.js'
import { codeOf, type Eip1193Provider } from './provider.js'

/**
 * A wallet whose transactions are written down before it is asked and once it has answered, so that a reload of the page
 * forgets none. `purpose` says what they are for.
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
        // a wallet that names a reason has sent nothing; a connection that broke may have been too late
        journal.refused(id, codeOf(error) !== undefined)
        throw error
      }
    },
  }
}
