import { TidegateError } from '@tidegate/client'
import { createPublicClient, custom, http, type PublicClient, type RpcTransactionReceipt, type Transport } from 'viem'
import { CONSOLE_LIMITS } from '../limits.js'
import type { Eip1193Provider } from '../wallet/provider.js'
import { walletState } from '../wallet/wallet.js'
import { chainOf, config } from './config.js'
import { journal } from './journal.js'

const { polling: POLLING } = CONSOLE_LIMITS.requests
const clients = new Map<number, PublicClient>()
/** One client of each wallet: it remembers the newest block that the wallet's node has shown. */
const walletClients = new WeakMap<Eip1193Provider, PublicClient>()

/**
 * Returns a reading client of a chain: of the operator's public node, otherwise of the wallet. Throws TidegateError
 * `NO_CHAIN`, and `WRONG_NETWORK` if the wallet is on another chain.
 */
export async function readerOf(chainId: number): Promise<PublicClient> {
  const rpcUrl = chainOf(chainId)?.rpcUrl
  if (rpcUrl !== undefined) {
    const known = clients.get(chainId)
    if (known) return known
    const pollingInterval = config().local ? POLLING.local : POLLING.public
    const made = createPublicClient({ transport: noting(http(rpcUrl)), ccipRead: false, pollingInterval })
    clients.set(chainId, made)
    return made
  }
  const wallet = walletState.get()
  if (wallet.status !== 'connected') throw new TidegateError('NO_CHAIN', 'The chain is read through a wallet.')
  if (wallet.chainId !== chainId)
    throw new TidegateError(
      'WRONG_NETWORK',
      `This is on chain ${chainId}, but the wallet is on chain ${wallet.chainId}.`,
    )
  const { provider } = wallet.wallet
  const known = walletClients.get(provider)
  if (known) return known
  const transport = noting(custom(provider))
  const made = createPublicClient({ transport, ccipRead: false, pollingInterval: POLLING.public })
  walletClients.set(provider, made)
  return made
}

/**
 * Returns a transport that records receipts in the journal, so that a transaction that the library has seen mined is not
 * shown as pending.
 */
function noting(transport: Transport): Transport {
  return (options) => {
    const made = transport(options)
    const request = async (call: { method: string; params?: unknown }) => {
      const answer = await made.request(call as never)
      if (call.method === 'eth_getTransactionReceipt' && answer) {
        const { transactionHash, status } = answer as RpcTransactionReceipt
        journal.mined(transactionHash, status === '0x1' ? 'mined' : 'failed')
      }
      return answer
    }
    return { ...made, request: request as typeof made.request }
  }
}

/** Whether a chain can be read now. */
export function isReadable(chainId: number): boolean {
  const wallet = walletState.get()
  return chainOf(chainId)?.rpcUrl !== undefined || (wallet.status === 'connected' && wallet.chainId === chainId)
}
