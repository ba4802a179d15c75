import { type Account, type Address, type Hex, keccak256, type WalletClient } from 'viem'
import { mayBeSent } from './failures.js'
import type { Moment } from './moment.js'
import { ask, inTime, nodeFailed } from './reads.js'

/**
 * Signs and sends a transaction of a local account. `onSigned` gets its hash before it is sent, so that errors can name it
 * even if the response is lost; `onRefused` is called if it was not sent. Throws TidegateError `MAYBE_SENT`, and the node's
 * own errors.
 */
export async function sendSigned(
  wallet: WalletClient,
  account: Account,
  request: { to: Address; data: Hex; gas: bigint },
  moment: Moment,
  { onSigned, onRefused }: { onSigned: (hash: Hex) => void; onRefused: () => void },
): Promise<Hex> {
  const nonce = await nextNonce(moment, account.address)
  const prepared = await inTime(wallet.prepareTransactionRequest({ account, chain: null, nonce, ...request }))
  const signed = await wallet.signTransaction({ ...prepared, account, chain: null } as never)
  const hash = keccak256(signed)
  onSigned(hash)
  try {
    await inTime(wallet.sendRawTransaction({ serializedTransaction: signed }))
  } catch (error) {
    if (nodeFailed(error)) throw mayBeSent(hash)
    if (!/already (known|imported)/i.test(String((error as Error).message))) {
      onRefused()
      throw error
    }
  }
  moment.seen.sent.set(account.address, { nonce, hash })
  return hash
}

/**
 * Returns the next nonce: above those at the moment, and above that of the last transaction of this client, unless the node
 * has dropped that one.
 */
async function nextNonce(moment: Moment, address: Address): Promise<number> {
  const last = moment.seen.sent.get(address)
  const [pending, mined] = await Promise.all([
    ask(moment.client.getTransactionCount({ address, blockTag: 'pending' })),
    last ? 0 : moment.read('eth_getTransactionCount', [address]),
  ])
  const next = Math.max(pending, Number(mined))
  if (!last || next > last.nonce) return next
  return (await moment.find('eth_getTransactionByHash', last.hash)) ? last.nonce + 1 : next
}
