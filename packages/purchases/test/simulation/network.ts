import { ChainError } from '@tidegate/protocol'
import { type Address, type Hex, keccak256, stringToHex, toHex } from 'viem'
import type { AuthorizationUse, ChainView, Log, Mined, PayingChain } from '../../src/chain/paying-chain.js'
import type { Payment } from '../../src/purchase.js'
import type { Call } from '../../src/records/slot-table.js'
import { copyOf, emptyLedger, execute, type Ledger, pairOf, Reverted, type TokenTemper } from './ledger.js'

interface Sent {
  hash: Hex
  from: Address
  nonce: number
  price: number
  to: Address
  data: Hex
}

interface Block {
  number: number
  time: number
  transactions: { sent: Sent; isSuccess: boolean; logs: Log[] }[]
  /** The state after the block. */
  ledger: Ledger
  nonces: Map<Address, number>
}

/** How many blocks the simulated chain may replace. */
export const DEPTH = 4

/** A chain whose blocks are mined on demand, and which replaces and loses things. */
export class SimulatedNetwork {
  readonly blocks: Block[] = [{ number: 0, time: 1_000, transactions: [], ledger: emptyLedger(), nonces: new Map() }]
  readonly temper: TokenTemper = { tax: 0n, blocked: new Set(), isSilent: false }
  private mempool: Sent[] = []
  /** Number of the newest block that is never replaced. */
  final = 0

  get head(): Block {
    return this.blocks.at(-1) as Block
  }

  /** Changes the state of the head, as transactions of others would. A reorganisation undoes it. */
  change(by: (ledger: Ledger) => void): void {
    by(this.head.ledger)
  }

  send(sent: Sent): void {
    if (sent.nonce < this.nonceOf(sent.from)) throw new Error('nonce too low')
    const same = this.mempool.find(({ from, nonce }) => from === sent.from && nonce === sent.nonce)
    if (same && sent.price < same.price * 1.1 && same.hash !== sent.hash)
      throw new Error('replacement transaction underpriced')
    this.mempool = [...this.mempool.filter((one) => one !== same), sent]
  }

  nonceOf(from: Address): number {
    return this.head.nonces.get(from) ?? 0
  }

  /** Makes a block of what waits, and takes from each transaction the chance to be in it. */
  mine(isIncluded: (sent: Sent) => boolean = () => true): void {
    const { head } = this
    const block: Block = {
      ...{ number: head.number + 1, time: head.time + 2, transactions: [] },
      ...{ ledger: copyOf(head.ledger), nonces: new Map(head.nonces) },
    }
    const left: Sent[] = []
    for (const sent of [...this.mempool].sort((a, b) => a.nonce - b.nonce)) {
      const next = block.nonces.get(sent.from) ?? 0
      if (sent.nonce < next) continue
      if (sent.nonce > next || !isIncluded(sent)) left.push(sent)
      else this.include(block, sent)
    }
    this.mempool = left
    this.blocks.push(block)
    this.final = Math.max(this.final, block.number - DEPTH)
  }

  private include(block: Block, sent: Sent): void {
    block.nonces.set(sent.from, sent.nonce + 1)
    const tried = copyOf(block.ledger)
    try {
      const logs = execute(tried, sent.from, sent.to, sent.data, block.time, this.temper)
      block.ledger = tried
      block.transactions.push({ sent, isSuccess: true, logs })
    } catch (error) {
      if (!(error instanceof Reverted)) throw error
      block.transactions.push({ sent, isSuccess: false, logs: [] })
    }
  }

  /** Drops the newest blocks; their transactions wait again, unless they are lost. */
  reorganise(depth: number, isLost: () => boolean): void {
    const dropped = this.blocks.splice(Math.max(this.final + 1, this.blocks.length - depth))
    this.mempool.push(
      ...dropped.flatMap(({ transactions }) => transactions.map(({ sent }) => sent)).filter(() => !isLost()),
    )
  }

  /** Loses what waits, as nodes do that restart or are full. */
  forget(isLost: () => boolean): void {
    this.mempool = this.mempool.filter(() => !isLost())
  }

  find(hash: Hex): { block: Block; isSuccess: boolean; logs: Log[] } | undefined {
    for (const block of this.blocks) {
      const found = block.transactions.find(({ sent }) => sent.hash === hash)
      if (found) return { block, isSuccess: found.isSuccess, logs: found.logs }
    }
    return undefined
  }
}

/** What may go wrong between the service and the chain. Called before and after each request. */
export type Trouble = (request: string) => Promise<void>

export const hashOf = (text: string): Hex => keccak256(stringToHex(text))

/** Returns the view of a purchasing account on the network. */
export function simulatedChain(network: SimulatedNetwork, account: Address, trouble: Trouble): PayingChain {
  const asked = async <T>(name: string, answer: () => T): Promise<T> => {
    await trouble(name)
    const result = answer()
    await trouble(name)
    return result
  }
  const finalOf = () => network.blocks[network.final] as Block
  return {
    ...{ chainId: 1, account },
    view: () =>
      asked('view', (): ChainView => {
        const { number: block, time } = network.head
        const final = finalOf()
        return {
          head: { block, time, nonce: network.nonceOf(account) },
          final: { block: final.number, time: final.time },
        }
      }),
    price: () => asked('price', () => 100n),
    coins: () => asked('coins', () => 10n ** 18n),
    balance: () => asked('balance', () => network.head.ledger.balances.get(account.toLowerCase()) ?? 0n),
    hasCode: () => asked('hasCode', () => false),
    gasOf: ({ to, data }) =>
      asked('gasOf', () => {
        try {
          execute(copyOf(network.head.ledger), account, to, data, network.head.time, network.temper)
          return 21_000
        } catch {
          return undefined
        }
      }),
    sign: async (call: Call, nonce: number, price: bigint) => {
      const content = JSON.stringify({ from: account, nonce, price: Number(price), to: call.to, data: call.data })
      return { hash: hashOf(content), raw: toHex(content) }
    },
    send: (raw) =>
      asked('send', () => {
        const content = Buffer.from(raw.slice(2), 'hex').toString()
        try {
          network.send({ ...JSON.parse(content), hash: hashOf(content) })
        } catch {
          throw new ChainError('CHAIN_UNAVAILABLE', 'The node refuses the transaction.')
        }
      }),
    mined: (hash) =>
      asked('mined', (): Mined | undefined => {
        const found = network.find(hash)
        return found && { block: found.block.number, isSuccess: found.isSuccess, logs: found.logs }
      }),
    userOf: (nonce) =>
      asked('userOf', () => {
        const blocks = network.blocks.filter(({ number }) => number <= finalOf().number)
        const all = blocks.flatMap(({ transactions }) => transactions.map(({ sent }) => sent))
        return all.find((sent) => sent.from === account && sent.nonce === nonce)
      }),
    authorization: ({ payer, nonce }: Payment) =>
      asked('authorization', (): AuthorizationUse => {
        const key = pairOf(payer, nonce)
        const [final, now] = [finalOf().ledger, network.head.ledger].map(({ authorizations }) =>
          authorizations.get(key),
        )
        if (now === undefined) return 'unused'
        if (final === undefined) return 'undecided'
        if (final === 'canceled') return 'canceled'
        const used = network.blocks.flatMap(({ transactions }) => transactions)
        const by = used.find(({ logs }) => logs.some(({ topics }) => topics[2] === nonce))
        return by ? { tx: by.sent.hash } : 'undecided'
      }),
  }
}
