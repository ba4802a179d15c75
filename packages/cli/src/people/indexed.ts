import { setTimeout as sleep } from 'node:timers/promises'
import { CLI_LIMITS } from '../limits.js'
import { interrupted } from './output/prompts.js'
import type { WalletSession } from './session.js'

/** Milliseconds between two requests. */
const LOOK_EVERY = 250

/** Fields of a served document that show a change. */
export interface Shown {
  event?: { tx?: string }
  nft?: { state?: number }
  indexedMetadata?: Pick<Shown, 'event' | 'nft'>
}

/** Waits until the provider's index shows a transaction, so that later commands see it. It is mined in any case. */
export async function indexed(
  { client, out, signal }: WalletSession,
  did: string,
  { done, isShown }: { done: string; isShown: (shown: Shown) => boolean },
): Promise<void> {
  const looks = async () => {
    const document = await client.context.api.get<Shown>(`/api/aquarius/assets/ddo/${did}`, {}, signal)
    return isShown({ ...document, ...document.indexedMetadata })
  }
  for (const deadline = Date.now() + CLI_LIMITS.waiting.index; Date.now() < deadline; await sleep(LOOK_EVERY)) {
    if (await looks().catch(() => false)) return
    if (signal.aborted) throw interrupted(`interrupted; ${done}: ${did}`)
  }
  out.note(`${done}. The provider has not read it from the chain yet.`)
}
