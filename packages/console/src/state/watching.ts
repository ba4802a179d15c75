import { TransactionReceiptNotFoundError } from 'viem'
import { CONSOLE_LIMITS } from '../limits.js'
import { readerOf } from './chains.js'
import { config } from './config.js'
import { type Entry, entries, journal } from './journal.js'

/**
 * Consecutive checks that must find the nonce used and no receipt. One node behind an address may lag, and a transaction
 * that wrongly counts as replaced may be paid twice.
 */
const LOOKS = { local: 5, public: 60 }
const watched = new Set<string>()

/** Follows every sent transaction, of earlier visits too, until it is mined or replaced. */
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
    else await new Promise((resolve) => setTimeout(resolve, CONSOLE_LIMITS.requests.watching))
  }
  watched.delete(id)
}

/** Checks a transaction; its transport records the receipt. Without a receipt, returns whether the nonce is used. */
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
    // no node or wallet is reachable, or the node does not know the transaction yet
    return false
  }
}
