import {
  type Abi,
  type Account,
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  type TransactionReceipt,
  type WalletClient,
} from 'viem'
import { waitForTransactionReceipt } from 'viem/actions'
import { accountOf } from '../auth/signing.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { LIMITS } from '../limits.js'
import { failureOf, mayBeSent, reasonOf } from './failures.js'
import { sendSigned } from './local-account.js'
import { type Moment, momentOf, patiently } from './moment.js'
import { polling } from './polling.js'
import { ask, nodeFailed } from './reads.js'

export interface SendOptions {
  /** Called with a description before each transaction. */
  onStep?: ((step: string) => void) | undefined
  /** Milliseconds to wait for a mined transaction; five minutes by default. */
  minedWithin?: number | undefined
}

export interface Transaction {
  to: Address
  abi: Abi | readonly unknown[]
  functionName: string
  args: readonly unknown[]
  /** Trailing calldata, which the contracts ignore. */
  suffix?: Hex | undefined
  /** The purpose, such as "to order", for messages. */
  what: string
}

/**
 * Sends the transactions of one call in sequence: each waits until the last one is mined. Errors name all sent transactions,
 * so that nobody pays twice.
 */
export class Sender {
  readonly sent: Hex[] = []
  private last: { receipt: TransactionReceipt; what: string } | undefined

  private constructor(
    private readonly wallet: WalletClient,
    private readonly account: Account | Address,
    /** The block of all reads: that of the last transaction, or a later one. */
    public moment: Moment,
    private readonly options: SendOptions,
  ) {}

  /** Throws TidegateError `NO_WALLET`, and `WRONG_NETWORK` if the wallet is on another chain. */
  static async of(context: Context, chainId: number, options: SendOptions = {}, at?: Moment): Promise<Sender> {
    const account = await accountOf(context)
    const wallet = context.wallet as WalletClient
    const own = await ask(wallet.getChainId())
    if (own !== chainId)
      throw new TidegateError(
        'WRONG_NETWORK',
        `This is on chain ${chainId}, but the wallet is on chain ${own}. Switch the network of the wallet.`,
      )
    return new Sender(wallet, account, at ?? (await momentOf(context, chainId)), options)
  }

  get address(): Address {
    return typeof this.account === 'string' ? this.account : this.account.address
  }

  /**
   * Sends a transaction and waits until it is mined. Does not send one that would fail. Throws TidegateError `REJECTED`,
   * `INSUFFICIENT_GAS`, `NONCE_TOO_LOW`, `REVERTED`, `NOT_MINED`, `REPLACED`, `NO_CONTRACT`, …, and the code of a known
   * revert reason.
   */
  async send(transaction: Transaction): Promise<TransactionReceipt> {
    const { to, what } = transaction
    try {
      this.moment = await this.moment.now()
      await this.assertCode(to)
      const gas = await this.gasOf(transaction)
      this.options.onStep?.(stepOf(what))
      const hash = await this.broadcast({ to, data: dataOf(transaction), gas })
      const receipt = await this.mined(hash, what)
      if (receipt.status === 'success') return receipt
      // simulated again to learn the reason
      await this.gasOf(transaction)
      throw new TidegateError('REVERTED', `The transaction ${what} failed on the chain.`)
    } catch (error) {
      throw failureOf(error, { what, transactions: this.sent })
    }
  }

  /** Whether a transaction would succeed now. */
  async passes(transaction: Transaction): Promise<boolean> {
    try {
      await this.gasOf(transaction)
      return true
    } catch (error) {
      if (nodeFailed(error)) throw failureOf(error, { what: transaction.what, transactions: this.sent })
      return false
    }
  }

  /**
   * Waits for the code of a contract, as a reorganisation may move its creation. Throws TidegateError `NO_CONTRACT`: a
   * transaction to an address without code succeeds, and does nothing.
   */
  private async assertCode(to: Address): Promise<void> {
    const found = await patiently(LIMITS.behind.known, async () => {
      if ((await this.moment.read('eth_getCode', [to])) !== '0x') return true
      this.moment = await this.moment.renewed()
      return undefined
    })
    if (found) return
    const message = `Block ${this.moment.block} has no contract at ${to}. Nothing was sent to it.`
    throw new TidegateError('NO_CONTRACT', message)
  }

  /** Returns gas with a margin for transactions of others in between. Throws the contract's revert. */
  private async gasOf(transaction: Transaction): Promise<bigint> {
    const call = { from: this.address, to: transaction.to, data: dataOf(transaction) }
    const estimate = () => this.moment.read('eth_estimateGas', [call])
    const gas = BigInt(
      (await estimate().catch(async (error) => {
        // a revert may come from a reorganisation, which undid the transaction before this one
        if (reasonOf(error) === undefined || !(await this.isMoved())) throw error
        return estimate()
      })) as Hex,
    )
    return gas + gas / 4n
  }

  /** Whether the last transaction is in another block than before. Waits until it is mined again. */
  private async isMoved(): Promise<boolean> {
    if (!this.last) return false
    const { receipt, what } = this.last
    return (await this.mined(receipt.transactionHash, what)).blockHash !== receipt.blockHash
  }

  private async broadcast(request: { to: Address; data: Hex; gas: bigint }): Promise<Hex> {
    const { wallet, account, sent } = this
    if (typeof account !== 'string' && account.type === 'local')
      return sendSigned(wallet, account, request, this.moment, {
        onSigned: (hash) => sent.push(hash),
        onRefused: () => sent.pop(),
      })
    const hash = await wallet.sendTransaction({ account, chain: null, ...request })
    sent.push(hash)
    return hash
  }

  private async mined(hash: Hex, what: string): Promise<TransactionReceipt> {
    const timeout = this.options.minedWithin ?? LIMITS.mined
    const end = Date.now() + timeout
    let replaced: string | undefined
    const wait = () =>
      waitForTransactionReceipt(polling(this.moment.client), {
        hash,
        timeout: Math.max(1, end - Date.now()),
        onReplaced: ({ reason, transaction }) => {
          if (reason === 'repriced') this.sent.splice(this.sent.indexOf(hash), 1, transaction.hash)
          else replaced = reason
        },
      }).catch((error: unknown) => {
        // a part of the node that is behind does not know the transaction, its block or its receipt
        if (/NotFoundError$/.test((error as Error).name)) return undefined
        if (nodeFailed(error) && !isTimeOut(error)) throw mayBeSent(hash)
        throw notMined(what, timeout)
      })
    const receipt = await patiently(timeout, wait)
    if (!receipt) throw notMined(what, timeout)
    if (replaced !== undefined)
      throw new TidegateError('REPLACED', `The transaction ${what} was ${replaced} by another one in the wallet.`)
    this.last = { receipt, what }
    this.moment = this.moment.after(receipt)
    return receipt
  }
}

function notMined(what: string, timeout: number): TidegateError {
  return new TidegateError(
    'NOT_MINED',
    `The transaction ${what} was sent, and is not mined after ${Math.round(timeout / 1000)} seconds. It may be later: look before you pay again.`,
  )
}

/** Returns an action as a step: "Approve 5.01 OCEAN" for "to approve 5.01 OCEAN". */
export function stepOf(what: string): string {
  const step = what.replace(/^to /, '')
  return step.charAt(0).toUpperCase() + step.slice(1)
}

function isTimeOut(error: unknown): boolean {
  return (error as Error).name === 'WaitForTransactionReceiptTimeoutError'
}

function dataOf({ abi, functionName, args, suffix = '0x' }: Transaction): Hex {
  return concat([encodeFunctionData({ abi: abi as Abi, functionName, args }), suffix])
}
