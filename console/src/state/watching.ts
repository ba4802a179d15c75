import { readerOf } from './chains.js'
import { type Entry, entries, journal } from './journal.js'

/** Milliseconds between two looks at a transaction. */
const PAUSE = 2_000
const watched = new Set<string>()

/** Follows every transaction that was sent, those of earlier visits too, until it is mined. */
export function watchTransactions(): void {
  const begin = () => {
    for (const entry of entries.get()) if (entry.state === 'sent' && !watched.has(entry.id)) void follow(entry)
  }
  entries.subscribe(begin)
  begin()
}

async function follow({ id, chainId, hash }: Entry): Promise<void> {
  watched.add(id)
  while (hash && entries.get().some((entry) => entry.id === id && entry.state === 'sent')) {
    const outcome = await outcomeOf(chainId, hash)
    if (outcome) journal.settled(id, outcome)
    else await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  watched.delete(id)
}

async function outcomeOf(chainId: number, hash: `0x${string}`): Promise<'mined' | 'failed' | undefined> {
  try {
    const client = await readerOf(chainId)
    const { status } = await client.getTransactionReceipt({ hash })
    return status === 'success' ? 'mined' : 'failed'
  } catch {
    // not mined yet, or neither a node nor a wallet to ask
    return undefined
  }
}
