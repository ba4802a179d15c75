import { type CallUntrusted, type Chain, hasCode, isReverted, requestReceipt } from '@tidegate/chain'
import { ChainError } from '@tidegate/protocol'
import { type Address, type Hex, keccak256, type LocalAccount, numberToHex, type PublicClient, zeroHash } from 'viem'
import { PURCHASE_LIMITS } from '../limits.js'
import type { Payment } from '../purchase.js'
import { authorizationUse } from './authorization-use.js'
import { transactionWith } from './nonce-use.js'
import type { ChainView, PayingChain } from './paying-chain.js'
import { callView } from './views.js'

export interface EvmChainOptions {
  chain: Chain
  account: LocalAccount
  /** Blocks from which on a block is final, itself included. */
  confirmations: number
}

/** Returns the purchasing account's view of a chain, as its nodes agree on it. */
export function evmChain({ chain, account, confirmations }: EvmChainOptions): PayingChain {
  const { nodes, chainId } = chain
  const { address } = account
  return {
    ...{ chainId, account: address },
    view: () =>
      nodes.ask(
        async (client, _call, _abilities, moment): Promise<ChainView> => {
          const block = await moment.block()
          const [nonce, head, final] = await Promise.all([
            client.getTransactionCount({ address, blockNumber: BigInt(block) }),
            blockAt(client, block),
            blockAt(client, Math.max(0, block - confirmations + 1)),
          ])
          return { head: { ...head, nonce }, final }
        },
        { agreeOn: (view) => view },
      ),
    async price() {
      const suggested = await nodes.ask((client) => client.getGasPrice())
      return (suggested * BigInt(PURCHASE_LIMITS.priceMargin)) / 100n
    },
    coins: () => nodes.ask((client) => client.getBalance({ address })),
    async balance(token, holder = address) {
      const balance = await nodes.ask((_client, call) => callView(call, token, 'balanceOf', [holder]), {
        agreeOn: (found) => found,
      })
      if (balance === undefined) throw new ChainError('CHAIN_UNAVAILABLE', 'The token tells no balance.')
      return balance
    },
    // what no node knows counts as a contract, of which fewer payments may fail
    hasCode: async (payer) => (await hasCode(chain, payer)) !== false,
    gasOf: ({ to, data }) =>
      nodes.ask((client, call) => gasOf(client, call, { from: address, to, data }), {
        // a node that lags may lack what the call needs
        accept: (gas) => gas !== undefined,
      }),
    async sign({ to, data, gas }, nonce, gasPrice) {
      const raw = await account.signTransaction({
        ...{ type: 'legacy', chainId, nonce, to, data, gas: BigInt(gas), gasPrice },
      })
      return { hash: keccak256(raw), raw }
    },
    // to all: one that keeps it to itself must not hold it back
    async send(raw) {
      let refusal: string | undefined
      const refused = (why: string) => (refusal = why)
      await nodes
        .askAll((client) => sent(client, raw, refused))
        .catch((error: Error) => {
          throw refusal === undefined ? error : new ChainError('CHAIN_UNAVAILABLE', `A node refuses it: ${refusal}.`)
        })
    },
    async mined(hash) {
      const found = await requestReceipt(chain, hash)
      if (!found) return undefined
      const { blockNumber, status, logs } = found.receipt
      return { block: Number(blockNumber), isSuccess: status === 'success', logs }
    },
    userOf: (nonce, { final }) => transactionWith(chain, address, nonce, final.block),
    authorization: (payment: Payment, view) => authorizationUse(chain, payment, view),
  }
}

async function blockAt(client: PublicClient, block: number): Promise<ChainView['final']> {
  const { timestamp } = await client.getBlock({ blockNumber: BigInt(block) })
  return { block, time: Number(timestamp) }
}

async function gasOf(
  client: PublicClient,
  call: CallUntrusted,
  { from, to, data }: { from: Address; to: Address; data: Hex },
): Promise<number | undefined> {
  const { gasMargin, gas: most } = PURCHASE_LIMITS
  const answer = await call({ from, to, data, limit: PURCHASE_LIMITS.result, strict: true })
  // a transfer that answers false has moved nothing
  if (answer === undefined || answer === zeroHash) return undefined
  const request = { from, to, data, gas: numberToHex(most.transfer) }
  const estimated = await client.request({ method: 'eth_estimateGas', params: [request] }).catch((error) => {
    // a node that refuses for another reason has not told what the call does
    if (!isReverted(error)) throw error
    return undefined
  })
  const gas = Math.ceil((Number(estimated) * gasMargin) / 100)
  // a token must not let this account pay for more than a transfer
  return gas <= most.transfer ? gas : undefined
}

/** What nodes say if they have a transaction, or if another one was mined with its nonce. */
const IS_KNOWN = /already.?(known|imported)|known transaction|nonce.?too.?low|old.?nonce/i

/** What nodes say of a transaction that they do not take: words for the log, which must not contain their whole text. */
const REFUSALS =
  /insufficient funds|intrinsic gas|underpriced|(less than|below) .{0,20}base ?fee|fee cap|exceeds .{0,20}limit/i

/** Sends a transaction to one node. Resolves also if the node has it, or one that was mined in its place. */
async function sent(client: PublicClient, raw: Hex, onRefusal: (words: string) => void): Promise<true> {
  try {
    await client.sendRawTransaction({ serializedTransaction: raw })
  } catch (error) {
    const { message, details = '' } = error as Error & { details?: string }
    if (IS_KNOWN.test(message)) return true
    const [words] = REFUSALS.exec(details) ?? []
    if (words !== undefined) onRefusal(words.toLowerCase())
    throw error
  }
  return true
}
