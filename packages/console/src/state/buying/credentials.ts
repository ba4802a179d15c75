import { forgetSession, present } from '@tidegate/client'
import { walletState } from '../../wallet/wallet.js'
import { contextNow } from '../context.js'
import { createStore } from '../store.js'
import { keepCredentials } from './kept-credentials.js'

/** Counts the changes of presented credentials. Quotes depend on them. */
export const presentations = createStore(0)

interface PresentationOptions {
  did: string
  service: string
  signal: AbortSignal
  /** Called with the link for a wallet. */
  onRequest: (request: string) => void
}

/** Starts a presentation, waits until the wallet has presented, and keeps the session. Throws TidegateError, or the signal's reason. */
export async function presentCredentials({ did, service, signal, onRequest }: PresentationOptions): Promise<void> {
  const account = addressNow()
  const { request, session, presented } = await present(contextNow(), did, { service, signal })
  if (request !== undefined) onRequest(request)
  await presented({ signal })
  keepCredentials(account, did, service, session)
  presentations.set((count) => count + 1)
}

/** Forgets the session of a service if the policy server refuses it, by the code of an error. */
export function forgetRefused(error: unknown, did: string, service: string): void {
  const isDenied = (error as { code?: string } | undefined)?.code === 'POLICY_DENIED'
  if (!isDenied || !forgetSession(contextNow(), did, service)) return
  keepCredentials(addressNow(), did, service, undefined)
  presentations.set((count) => count + 1)
}

function addressNow(): string {
  const state = walletState.get()
  return state.status === 'connected' ? state.address : ''
}
