import { type Chain, lacksBlock } from '@tidegate/chain'
import { ChainError } from '@tidegate/protocol'
import { type Address, type Hex, isAddressEqual } from 'viem'

/** Blocks below the final one whose states nodes still have. */
const KEPT = 100

/**
 * Returns the transaction that used a nonce of an account in one of the newest final blocks: only what is seen proves that somebody else
 * used it. Undefined if it is older, or if no node has the states of these blocks.
 */
export async function transactionWith(
  { nodes }: Chain,
  address: Address,
  nonce: number,
  final: number,
): Promise<Hex | undefined> {
  const countAt = (block: number) =>
    nodes.ask((client) => client.getTransactionCount({ address, blockNumber: BigInt(block) }), { agreeOn: String })
  try {
    let low = Math.max(0, final - KEPT)
    let high = final
    if ((await countAt(low)) > nonce || (await countAt(high)) <= nonce) return undefined
    // its block is above `low`, and at most `high`
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if ((await countAt(middle)) > nonce) high = middle
      else low = middle
    }
    const { transactions } = await nodes.ask(
      (client) => client.getBlock({ blockNumber: BigInt(high), includeTransactions: true }),
      { agreeOn: ({ hash }) => hash },
    )
    return transactions.find((one) => one.nonce === nonce && isAddressEqual(one.from, address))?.hash
  } catch (error) {
    if (error instanceof ChainError || lacksBlock(error)) return undefined
    throw error
  }
}
