import { type Chain, lacksBlock } from '@tidegate/chain'
import { ChainError } from '@tidegate/protocol'
import { type Address, type Hex, isAddressEqual } from 'viem'

/** Blocks below the final one whose states nodes still have. Some have more. */
const KEPT = 100

/** A transaction of an account. */
export interface NonceUser {
  hash: Hex
  to: Address | null
  data: Hex
}

/**
 * Returns the transaction that used a nonce of an account in a final block: only what is seen proves that somebody else used it. Undefined
 * if no node has the states of the blocks around it.
 */
export async function transactionWith(
  { nodes }: Chain,
  address: Address,
  nonce: number,
  final: number,
): Promise<NonceUser | undefined> {
  const countAt = (block: number) =>
    nodes.ask((client) => client.getTransactionCount({ address, blockNumber: BigInt(block) }), { agreeOn: String })
  try {
    let low = Math.max(0, final - KEPT)
    let high = final
    if ((await countAt(high)) <= nonce) return undefined
    for (let back = KEPT; low > 0 && (await countAt(low)) > nonce; low = Math.max(0, final - back)) back *= 10
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
    const found = transactions.find((one) => one.nonce === nonce && isAddressEqual(one.from, address))
    return found && { hash: found.hash, to: found.to, data: found.input }
  } catch (error) {
    if (error instanceof ChainError || lacksBlock(error)) return undefined
    throw error
  }
}
