import { TransactionReceiptNotFoundError } from 'viem'
import { readerOf } from './chains.js'
import { config } from './config.js'
import { type Entry, entries, journal } from './journal.js'

/** Milliseconds between two looks at a transaction. */
const PAUSE = 2_000
/**
 * Looks in a row that must find its nonce used, and no receipt. Behind one address may be nodes of which one lags, and what is taken
 * for replaced may be paid twice.
 */
const LOOKS = { local: 5, public: 60 }
const watched = new Set<string>()

/** Follows every transaction that was sent, those of earlier visits too, until it is mined or replaced. */
export function watchTransactions(): void {
  const begin = () => {
    for (const entry of entries.get()) if (entry.state === 'sent' && !watched.has(entry.id)) void follow(entry.id)
  }
  entries.subscribe(begin)
  begin()
}

async function follow(id: string): Promise<void> {
  watched.add(id)
  for (let used = 0; ; ) {
    const entry = entries.get().find((one) => one.id === id && one.state === 'sent')
    if (!entry?.hash) break
    used = (await isNonceUsed(entry, entry.hash)) ? used + 1 : 0
    if (used >= (config().local ? LOOKS.local : LOOKS.public)) journal.replaced(id)
    else await new Promise((resolve) => setTimeout(resolve, PAUSE))
  }
  watched.delete(id)
}

/** Looks at a transaction, whose receipt the journal notes; without one, answers whether its nonce is used nevertheless. */
async function isNonceUsed({ id, chainId, from, nonce }: Entry, hash: `0x${string}`): Promise<boolean> {
  try {
    const client = await readerOf(chainId)
    const receipt = await client.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (!(error instanceof TransactionReceiptNotFoundError)) throw error
    })
    if (receipt) return false
    if (nonce !== undefined) return (await client.getTransactionCount({ address: from })) > nonce
    const transaction = await client.getTransaction({ hash })
    if (transaction.from.toLowerCase() === from.toLowerCase()) journal.seen(id, transaction.nonce)
    return false
  } catch {
    // neither a node nor a wallet to ask, or a node that does not know it yet
    return false
  }
}
