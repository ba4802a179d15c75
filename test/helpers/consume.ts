import type { ethers, Signer } from 'ethers'
import { type Address, type Hex, parseAbi, parseEther, zeroAddress } from 'viem'
import { rpcClient } from '../../packages/chain/src/rpc/clients.js'
import type { NetworkInfo } from '../../packages/dev-network/src/network.js'
import { ocean, type ProviderFees } from './ocean.js'
import type { Published } from './publish.js'
import { transact } from './transactions.js'

/** Requests the provider fee for the only service of an asset, through the client library. */
export async function quote({ providerUrl }: NetworkInfo, asset: Published, consumer: string): Promise<ProviderFees> {
  const serviceId = asset.ddo.services[0]?.id as string
  return (await ocean.ProviderInstance.initialize(asset.did, serviceId, 0, consumer, providerUrl)).providerFee
}

/** What is called of the contracts. */
const CONTRACTS = parseAbi([
  'function dispense(address datatoken, uint256 amount, address destination)',
  'function calcBaseInGivenOutDT(bytes32 exchangeId, uint256 amount, uint256 marketFee) view returns (uint256 price, uint256, uint256, uint256)',
  'function approve(address spender, uint256 amount)',
  'function buyDT(bytes32 exchangeId, uint256 amount, uint256 maxPrice, address market, uint256 marketFee)',
  'struct ProviderFee { address providerFeeAddress; address providerFeeToken; uint256 providerFeeAmount; uint8 v; bytes32 r; bytes32 s; uint256 validUntil; bytes providerData; }',
  'struct MarketFee { address consumeMarketFeeAddress; address consumeMarketFeeToken; uint256 consumeMarketFeeAmount; }',
  'function startOrder(address consumer, uint256 serviceIndex, ProviderFee providerFee, MarketFee marketFee)',
])

/** One whole datatoken. */
const ONE = parseEther('1')

/** Acquires one datatoken: from the dispenser, or from the fixed rate exchange, paid in the buyer's Ocean tokens. */
export async function acquire(network: NetworkInfo, asset: Published, buyer: Signer): Promise<void> {
  const { Dispenser, FixedPrice, Ocean } = network.addresses
  const call = (to: string, functionName: string, ...args: unknown[]) =>
    transact(network, buyer, { to, abi: CONTRACTS, functionName, args })
  const { datatoken, exchangeId } = asset
  if (exchangeId === undefined)
    return void (await call(Dispenser, 'dispense', datatoken, ONE, await buyer.getAddress()))
  const [price] = await rpcClient(new URL(network.rpcUrl)).readContract({
    address: FixedPrice as Address,
    abi: CONTRACTS,
    functionName: 'calcBaseInGivenOutDT',
    args: [exchangeId as Hex, ONE, 0n],
  })
  await call(Ocean, 'approve', FixedPrice, price)
  await call(FixedPrice, 'buyDT', exchangeId, ONE, price, zeroAddress, 0n)
}

/** Orders a service with a datatoken that the buyer holds. Returns the transaction id. */
export async function order(
  network: NetworkInfo,
  asset: Published,
  buyer: Signer,
  fee: ProviderFees,
  { consumer, serviceIndex = 0 }: { consumer?: string | undefined; serviceIndex?: number } = {},
): Promise<string> {
  const receiver = consumer ?? (await buyer.getAddress())
  const none = {
    consumeMarketFeeAddress: zeroAddress,
    consumeMarketFeeToken: zeroAddress,
    consumeMarketFeeAmount: 0n,
  }
  const args = [receiver, serviceIndex, fee, none]
  const { transactionHash } = await transact(network, buyer, {
    to: asset.datatoken,
    abi: CONTRACTS,
    functionName: 'startOrder',
    args,
  })
  return transactionHash
}

/** Returns the signed download URL of the first file. */
export async function downloadUrl(
  { providerUrl }: NetworkInfo,
  asset: Published,
  txId: string,
  consumer: Signer,
): Promise<string> {
  const serviceId = asset.ddo.services[0]?.id as string
  return quietly(() => ocean.ProviderInstance.getDownloadUrl(asset.did, serviceId, 0, txId, providerUrl, consumer))
}

/** Waits until a transaction is mined. Returns its id. */
export async function mined(sent: Promise<unknown>): Promise<string> {
  const tx = (await sent) as ethers.ContractTransaction
  return (await tx.wait()).transactionHash
}

/** Runs a call of the client library and suppresses its console output. */
export async function quietly<T>(call: () => Promise<T>): Promise<T> {
  const log = console.log
  console.log = () => undefined
  try {
    return await call()
  } finally {
    console.log = log
  }
}
