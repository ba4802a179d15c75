import { type Chain, type Chains, Floor, requestReceipt, walletClient } from '@tidegate/chain'
import { describeAnswer, describeFailedExchange, type Outbound } from '@tidegate/common'
import { transactionAccount } from '@tidegate/protocol/keys'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import type { ProofStore, QueuedProof } from './delivery-store.js'
import { callArguments, type Delivery, ORDER_EXECUTED, proofOf } from './proof.js'

/** Receipt polls, at least a second apart, before a missing transaction is sent again. */
const POLLS_BEFORE_RESEND = 60

/** Sends proofs: by POST to a receiver, or as a transaction to the datatoken. */
export class ProofSender {
  /** The transaction counts of the service's accounts, by chain. */
  private readonly counts = new Map<number, Floor>()

  constructor(
    private readonly chains: Chains,
    private readonly outbound: Outbound,
    private readonly url: string | undefined,
    private readonly store: ProofStore,
  ) {}

  /** Resolves with true if the proof has arrived, with false if its transaction is pending. Rejects if the proof failed. */
  async send(queued: QueuedProof): Promise<boolean> {
    const delivery = JSON.parse(queued.body) as Delivery
    const chain = this.chains.get(delivery.chainId)
    if (!chain) throw new Error('the chain is not served any more')
    return queued.kind === 'http' ? this.post(delivery, chain) : this.transact(queued, delivery, chain)
  }

  private async post(delivery: Delivery, chain: Chain): Promise<boolean> {
    if (this.url === undefined) throw new Error('no receiver is configured any more')
    const response = await this.outbound.post(this.url, proofOf(delivery, chain)).catch((error: unknown) => {
      throw new Error(`the receiver ${describeFailedExchange(error)}`)
    })
    if (response.status < 200 || response.status > 299)
      throw new Error(`the receiver ${describeAnswer(response, 'success')}`)
    return true
  }

  private async transact(queued: QueuedProof, delivery: Delivery, chain: Chain): Promise<boolean> {
    if (queued.txId) {
      const outcome = await outcomeOf(chain, queued.txId)
      if (outcome === 'success') return true
      if (outcome === 'reverted') throw new Error('the datatoken refused the proof')
      if (queued.attempts % POLLS_BEFORE_RESEND !== 0) return false
    }
    const data = encodeFunctionData({ abi: ORDER_EXECUTED, args: callArguments(proofOf(delivery, chain)) })
    const account = await transactionAccount(chain.key)
    const wallet = walletClient(account, (call) => chain.nodes.ask((client) => client.request(call)))
    const counts = this.counts.get(chain.chainId) ?? new Floor()
    this.counts.set(chain.chainId, counts)
    // given, since a node that fills in the transaction would choose it by itself
    const nonce = await nextNonce(chain, account.address, counts)
    const request = await wallet.prepareTransactionRequest({ to: delivery.datatoken, data, nonce, chain: null })
    const signed = await wallet.signTransaction(request as never)
    const txId = await chain.nodes.ask(
      (client) => client.sendRawTransaction({ serializedTransaction: signed as Hex }),
      {
        unhedged: true,
      },
    )
    counts.raise(nonce + 1)
    await this.store.recordTransaction(queued.id, txId)
    return false
  }
}

/** Returns the next nonce of an account. Throws if the nodes count fewer transactions than before: it would be the last one's. */
async function nextNonce({ nodes }: Chain, address: Address, counts: Floor): Promise<number> {
  const known = counts.value
  const count = await nodes.ask((client) => client.getTransactionCount({ address, blockTag: 'pending' }), {
    accept: (answer) => known === undefined || answer >= known,
  })
  if (counts.isBelow(count, known)) throw new Error('the nodes do not know the last transaction yet')
  return count
}

async function outcomeOf(chain: Chain, hash: Hex): Promise<'success' | 'reverted' | undefined> {
  return (await requestReceipt(chain, hash, { isUnlikely: true }))?.receipt.status
}
