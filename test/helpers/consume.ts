import type { ethers, Signer } from 'ethers'
import type { NetworkInfo } from '../../src/dev/network.js'
import { ocean, type ProviderFees } from './ocean.js'
import type { Published } from './publish.js'

/** Requests the provider fee for the only service of an asset, through the client library. */
export async function quote({ providerUrl }: NetworkInfo, asset: Published, consumer: string): Promise<ProviderFees> {
  const serviceId = asset.ddo.services[0]?.id as string
  return (await ocean.ProviderInstance.initialize(asset.did, serviceId, 0, consumer, providerUrl)).providerFee
}

/** Acquires one datatoken: from the dispenser, or from the fixed rate exchange, paid in the buyer's Ocean tokens. */
export async function acquire(network: NetworkInfo, asset: Published, buyer: Signer): Promise<void> {
  const { addresses, chainId } = network
  if (asset.exchangeId === undefined) {
    const dispenser = new ocean.Dispenser(addresses.Dispenser, buyer, chainId)
    await mined(dispenser.dispense(asset.datatoken, '1', await buyer.getAddress()))
    return
  }
  const exchange = new ocean.FixedRateExchange(addresses.FixedPrice, buyer, chainId)
  const { baseTokenAmount } = await exchange.calcBaseInGivenDatatokensOut(asset.exchangeId, '1', '0')
  const config = { chainId } as never
  const owner = await buyer.getAddress()
  await mined(ocean.approve(buyer, config, owner, addresses.Ocean, addresses.FixedPrice, baseTokenAmount) as never)
  await mined(exchange.buyDatatokens(asset.exchangeId, '1', baseTokenAmount))
}

/** Orders a service with a datatoken that the buyer holds. Returns the transaction id. */
export async function order(
  { chainId }: NetworkInfo,
  asset: Published,
  buyer: Signer,
  fee: ProviderFees,
  { consumer, serviceIndex = 0 }: { consumer?: string; serviceIndex?: number } = {},
): Promise<string> {
  const datatoken = new ocean.Datatoken(buyer, chainId)
  const receiver = consumer ?? (await buyer.getAddress())
  return mined(datatoken.startOrder(asset.datatoken, receiver, serviceIndex, fee))
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
