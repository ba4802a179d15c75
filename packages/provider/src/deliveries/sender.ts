import { type Chain, type Chains, walletClient } from '@tidegate/chain'
import { describeAnswer, describeFailedExchange, type Outbound } from '@tidegate/common'
import { transactionAccount } from '@tidegate/protocol/keys'
import { encodeFunctionData, type Hex } from 'viem'
import type { ProofStore, QueuedProof } from './delivery-store.js'
import { callArguments, type Delivery, ORDER_EXECUTED, proofOf } from './proof.js'

/** Receipt polls, at least a second apart, before a missing transaction is sent again. */
const POLLS_BEFORE_RESEND = 60

/** Sends proofs: by POST to a receiver, or as a transaction to the datatoken. */
export class ProofSender {
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
    const wallet = walletClient(await transactionAccount(chain.key), (call) =>
      chain.nodes.ask((client) => client.request(call)),
    )
    const request = await wallet.prepareTransactionRequest({ to: delivery.datatoken, data, chain: null })
    const signed = await wallet.signTransaction(request as never)
    const txId = await chain.nodes.ask(
      (client) => client.sendRawTransaction({ serializedTransaction: signed as Hex }),
      {
        unhedged: true,
      },
    )
    await this.store.recordTransaction(queued.id, txId)
    return false
  }
}

async function outcomeOf({ nodes }: Chain, hash: Hex): Promise<'success' | 'reverted' | undefined> {
  const receipt = await nodes.ask((client) => client.request({ method: 'eth_getTransactionReceipt', params: [hash] }), {
    accept: (found) => found !== null,
  })
  return receipt ? (receipt.status === '0x1' ? 'success' : 'reverted') : undefined
}
