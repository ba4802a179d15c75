import type { Address } from 'viem'
import { amountOf } from '../chain/erc20.js'
import { momentOf } from '../chain/moment.js'
import { balanceOf, view } from '../chain/reads.js'
import { tokens } from '../chain/tokens.js'
import type { Context } from '../context.js'
import type { Amount } from '../types.js'

/** Most tokens that are asked for. */
const MOST = 10

/** What an account holds on a chain. */
export interface Balances {
  /** The chain's native coin, in its smallest unit. */
  coin: bigint
  /** The first tokens of the network's list, with their symbols there, also those it holds none of. */
  tokens: Amount[]
}

/**
 * Returns what an account holds of the chain's coin and of the tokens of the network's list. Leaves out tokens that do not
 * answer. Throws TidegateError `CHAIN_UNREACHABLE`.
 *
 * @example
 * const { coin, tokens } = await balances(context, 1, '0x…')
 */
export async function balances(context: Context, chainId: number, account: Address): Promise<Balances> {
  const [moment, listed] = await Promise.all([momentOf(context, chainId), tokens(context, chainId)])
  const amounts = Object.entries(listed)
    .slice(0, MOST)
    .map(async ([symbol, address]) => {
      const [decimals, units] = await Promise.all([
        view(moment, address, 'decimals', []),
        view(moment, address, 'balanceOf', [account]),
      ])
      return decimals === undefined || units === undefined ? [] : [amountOf({ address, symbol, decimals }, units)]
    })
  const [coin, held] = await Promise.all([balanceOf(moment, account), Promise.all(amounts)])
  return { coin, tokens: held.flat() }
}
