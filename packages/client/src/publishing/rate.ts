import { type Address, isAddressEqual } from 'viem'
import { PUBLISHING } from '../chain/abi.js'
import { contractsOf } from '../chain/contracts.js'
import { view } from '../chain/reads.js'
import type { Sender, Transaction } from '../chain/sender.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { bad, termsOf } from './publish-request.js'

/** Most exchanges of a datatoken that are examined. */
const MOST = 20

interface RateChange {
  chainId: number
  datatoken: Address
  price: { amount: string }
}

/**
 * Returns the transaction that changes the price of a datatoken; undefined if the price is the same. Throws TidegateError
 * `BAD_REQUEST` if the datatoken has no price or several, or if the token cannot express the amount; `NOT_PERMITTED` if
 * another account owns the exchange.
 */
export async function newRate(
  context: Context,
  { client, address }: Sender,
  { chainId, datatoken, price }: RateChange,
): Promise<Transaction | undefined> {
  const contracts = await contractsOf(context, chainId)
  const rates = ((await view(client, datatoken, 'getFixedRates', [])) ?? []).slice(0, MOST)
  const own = rates.filter(({ contractAddress }) =>
    contracts.exchanges.some((exchange) => isAddressEqual(exchange, contractAddress)),
  )
  const [rate] = own
  if (!rate || own.length > 1)
    throw bad('price', `cannot be changed: the asset is sold at ${own.length === 0 ? 'no price' : 'several prices'}`)
  const { contractAddress: to, id } = rate
  const exchange = await view(client, to, 'getExchange', [id])
  if (!exchange) throw new TidegateError('CONTRACT_UNREADABLE', `The exchange ${to} does not answer.`)
  const [owner, , , token, , before] = exchange
  if (!isAddressEqual(owner, address))
    throw new TidegateError('NOT_PERMITTED', `The price belongs to ${owner}: ${address} may not change it.`)
  const terms = await termsOf(client, contracts, { amount: price.amount, token })
  if (terms === 'free' || terms.rate === before) return undefined
  return { to, abi: PUBLISHING, functionName: 'setRate', args: [id, terms.rate], what: 'to change the price' }
}
