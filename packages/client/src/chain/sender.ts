import {
  type Abi,
  type Account,
  type Address,
  concat,
  encodeFunctionData,
  type Hex,
  keccak256,
  type PublicClient,
  type TransactionReceipt,
  type WalletClient,
} from 'viem'
import { waitForTransactionReceipt } from 'viem/actions'
import { accountOf } from '../auth/signing.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { failureOf } from './failures.js'
import { polling } from './polling.js'
import { ask, inTime, nodeFailed } from './reads.js'

/** Default wait for a mined transaction, in milliseconds. */
const WAIT = 300_000

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

  private constructor(
    private readonly wallet: WalletClient,
    private readonly account: Account | Address,
    readonly client: PublicClient,
    private readonly options: SendOptions,
  ) {}

  /** Throws TidegateError `NO_WALLET`, and `WRONG_NETWORK` if the wallet is on another chain. */
  static async of(context: Context, chainId: number, options: SendOptions = {}): Promise<Sender> {
    const account = await accountOf(context)
    const wallet = context.wallet as WalletClient
    const client = await context.chain(chainId)
    const own = await ask(wallet.getChainId())
    if (own !== chainId)
      throw new TidegateError(
        'WRONG_NETWORK',
        `This is on chain ${chainId}, but the wallet is on chain ${own}. Switch the network of the wallet.`,
      )
    return new Sender(wallet, account, client, options)
  }

  get address(): Address {
    return typeof this.account === 'string' ? this.account : this.account.address
  }

  /**
   * Sends a transaction and waits until it is mined. Does not send one that would fail. Throws TidegateError `REJECTED`,
   * `INSUFFICIENT_GAS`, `NONCE_TOO_LOW`, `REVERTED`, `NOT_MINED`, `REPLACED`, …, and the code of a known revert reason.
   */
  async send(transaction: Transaction): Promise<TransactionReceipt> {
    const { what } = transaction
    try {
      const gas = await this.gasOf(transaction)
      this.options.onStep?.(stepOf(what))
      const hash = await this.broadcast({ to: transaction.to, data: dataOf(transaction), gas })
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

  /** Returns gas with a margin for transactions of others in between. Throws the contract's revert. */
  private async gasOf(transaction: Transaction): Promise<bigint> {
    const call = { from: this.address, to: transaction.to, data: dataOf(transaction) }
    const gas = BigInt(await inTime(this.client.request({ method: 'eth_estimateGas', params: [call] })))
    return gas + gas / 4n
  }

  private async broadcast(request: { to: Address; data: Hex; gas: bigint }): Promise<Hex> {
    const { wallet, account } = this
    if (typeof account === 'string' || account.type !== 'local') {
      const hash = await wallet.sendTransaction({ account, chain: null, ...request })
      this.sent.push(hash)
      return hash
    }
    const prepared = await inTime(wallet.prepareTransactionRequest({ account, chain: null, ...request }))
    const signed = await wallet.signTransaction({ ...prepared, account, chain: null } as never)
    // known before sending, so that errors can name it even if the node's response is lost
    const hash = keccak256(signed)
    this.sent.push(hash)
    try {
      await inTime(wallet.sendRawTransaction({ serializedTransaction: signed }))
    } catch (error) {
      if (nodeFailed(error)) throw mayBeSent(hash)
      if (!/already (known|imported)/i.test(String((error as Error).message))) {
        this.sent.pop()
        throw error
      }
    }
    return hash
  }

  private async mined(hash: Hex, what: string): Promise<TransactionReceipt> {
    const timeout = this.options.minedWithin ?? WAIT
    let replaced: string | undefined
    const receipt = await waitForTransactionReceipt(polling(this.client), {
      hash,
      timeout,
      onReplaced: ({ reason, transaction }) => {
        if (reason === 'repriced') this.sent.splice(this.sent.indexOf(hash), 1, transaction.hash)
        else replaced = reason
      },
    }).catch((error: unknown) => {
      if (nodeFailed(error) && !isTimeOut(error)) throw mayBeSent(hash)
      const seconds = Math.round(timeout / 1000)
      throw new TidegateError(
        'NOT_MINED',
        `The transaction ${what} was sent, and is not mined after ${seconds} seconds. It may be later: look before you pay again.`,
      )
    })
    if (replaced !== undefined)
      throw new TidegateError('REPLACED', `The transaction ${what} was ${replaced} by another one in the wallet.`)
    return receipt
  }
}

/** Returns an action as a step: "Approve 5.01 OCEAN" for "to approve 5.01 OCEAN". */
export function stepOf(what: string): string {
  const step = what.replace(/^to /, '')
  return step.charAt(0).toUpperCase() + step.slice(1)
}

function isTimeOut(error: unknown): boolean {
  return (error as Error).name === 'WaitForTransactionReceiptTimeoutError'
}

function mayBeSent(hash: Hex): TidegateError {
  return new TidegateError(
    'MAYBE_SENT',
    `The node stopped answering after ${hash} was sent. It may be mined: look before you pay again.`,
    { transactions: [hash] },
  )
}

function dataOf({ abi, functionName, args, suffix = '0x' }: Transaction): Hex {
  return concat([encodeFunctionData({ abi: abi as Abi, functionName, args }), suffix])
}
