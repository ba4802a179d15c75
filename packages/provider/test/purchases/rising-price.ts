import type { Signer } from 'ethers'
import { parseAbi } from 'viem'
import { eventually } from '../../../../test/helpers/eventually.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { transact } from '../../../../test/helpers/transactions.js'
import type { World } from '../../../../test/helpers/world.js'

/** The number of transactions of an account that wait for a block. */
export async function pendingOf({ provider }: World, address: string): Promise<number> {
  const [pending, mined] = await Promise.all([
    provider.getTransactionCount(address, 'pending'),
    provider.getTransactionCount(address),
  ])
  return pending - mined
}

/** Pays, while the price rises in the block in which the payment is settled. Returns what paying returns. */
export async function whilePriceRises<T>(
  world: World,
  { asset, publisher, payTo }: { asset: Published; publisher: Signer; payTo: string },
  pay: () => Promise<T>,
): Promise<T> {
  await world.rpc('evm_setAutomine', [false])
  const paying = pay()
  await eventually(async () => (await pendingOf(world, payTo)) === 1)
  const abi = parseAbi(['function setRate(bytes32 exchangeId, uint256 rate)'])
  const call = { to: world.network.addresses.FixedPrice, abi, functionName: 'setRate' }
  const rising = transact(world.network, publisher, { ...call, args: [asset.exchangeId, 10n ** 20n] })
  await eventually(async () => (await pendingOf(world, await publisher.getAddress())) === 1)
  await world.rpc('evm_mine')
  await world.rpc('evm_setAutomine', [true])
  const [answer] = await Promise.all([paying, rising])
  return answer
}
