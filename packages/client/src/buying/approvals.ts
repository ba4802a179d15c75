import type { Address } from 'viem'
import { BUYING } from '../chain/abi.js'
import { amountOf, worded } from '../chain/erc20.js'
import { balanceOf, mustView, view } from '../chain/reads.js'
import type { Sender, Transaction } from '../chain/sender.js'
import { TidegateError } from '../errors.js'
import type { Amount } from '../types.js'

/** Interface of contracts whose `approve` names one item instead of an amount (ERC-721, by ERC-165). */
const ERC_721 = '0x80ac58cd'

/**
 * Throws TidegateError `NOT_A_TOKEN` if an amount is of a collection of items, `INSUFFICIENT_TOKENS` if the account holds less than an amount, and `INSUFFICIENT_GAS` if it has no
 * coin of the chain. Sends nothing.
 */
export async function assertHeld({ moment, address }: Sender, amounts: readonly Amount[]): Promise<void> {
  for (const needed of amounts) {
    const [isCollection, held] = await Promise.all([
      view(moment, needed.token, 'supportsInterface', [ERC_721]),
      mustView(moment, needed.token, 'balanceOf', [address]),
    ])
    if (isCollection)
      throw new TidegateError(
        'NOT_A_TOKEN',
        `The contract ${needed.token} has items, not amounts (ERC-721): an approval would give one away.`,
      )
    if (held >= needed.units) continue
    const has = amountOf({ ...needed, address: needed.token }, held)
    throw new TidegateError(
      'INSUFFICIENT_TOKENS',
      `Not enough ${needed.symbol}: ${needed.amount} needed, ${has.amount} held.`,
    )
  }
  if ((await balanceOf(moment, address)) > 0n) return
  throw new TidegateError('INSUFFICIENT_GAS', `The account ${address} has none of the chain's native token for gas.`)
}

/**
 * Approves exactly one amount for a contract. Keeps a sufficient approval. Replaces an insufficient one, first with zero if
 * the token requires that, as USDT does.
 */
export async function approve(sender: Sender, spender: Address, amount: Amount): Promise<void> {
  const { token, units } = amount
  const current = await mustView(sender.moment, token, 'allowance', [sender.address, spender])
  if (current >= units) return
  const approval = (value: bigint): Transaction => ({
    to: token,
    abi: BUYING,
    functionName: 'approve',
    args: [spender, value],
    what: value === 0n ? `to take back an approval of ${amount.symbol}` : `to approve ${worded(amount)}`,
  })
  if (current > 0n && !(await sender.passes(approval(units)))) await sender.send(approval(0n))
  await sender.send(approval(units))
}
