import { WALLET_CODES } from '@tidegate/protocol/constants'
import { createStore } from '../state/store.js'
import type { Eip1193Provider } from './provider.js'

/** A signature that the wallet is asked for. */
export type Asking =
  | { kind: 'message' }
  /** The wallet will show a hash, which nobody can read. The user decides before it opens. */
  | { kind: 'hash'; decide: (isWanted: boolean) => void }

export const asking = createStore<Asking | undefined>(undefined)

/** Characters of a 32-byte hash in hexadecimal, with its prefix. */
const HASH = 66

/** Returns a wallet whose signatures the page explains before the wallet opens. */
export function explained(provider: Eip1193Provider): Eip1193Provider {
  return {
    async request(call) {
      if (call.method !== 'personal_sign') return provider.request(call)
      const [message] = call.params as [string]
      if (message.length === HASH && !(await isWanted()))
        throw Object.assign(new Error('The user declined.'), { code: WALLET_CODES.rejected })
      const shown: Asking = { kind: 'message' }
      if (message.length !== HASH) asking.set(shown)
      try {
        return await provider.request(call)
      } finally {
        asking.set((now) => (now === shown ? undefined : now))
      }
    },
  }
}

async function isWanted(): Promise<boolean> {
  const earlier = asking.get()
  if (earlier?.kind === 'hash') earlier.decide(false)
  return new Promise((resolve) => {
    const decide = (wanted: boolean) => {
      asking.set(undefined)
      resolve(wanted)
    }
    asking.set({ kind: 'hash', decide })
  })
}
