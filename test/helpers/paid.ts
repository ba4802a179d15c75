import { ethers } from 'ethers'
import type { DevProcess } from '../../demo/local-dev.js'
import { acquire, order, quote } from './consume.js'
import { type Published, publish } from './publish.js'
import { ask, freshNonce, served, signText } from './requests.js'

/** A published asset that has been paid for, and an auth token of its consumer. */
export interface PaidAsset {
  asset: Published
  /** Parameters of `download` and `initialize`, without the file. */
  service: { documentId: string; serviceId: string; transferTxId: string; consumerAddress: string }
  token: string
}

/** Publishes files, given as URLs or storage objects, on a service in a process of its own, waits for the index, orders, and creates an auth token. */
export async function paidAsset({ facts }: DevProcess, contents: (string | object)[]): Promise<PaidAsset> {
  const provider = new ethers.providers.JsonRpcProvider(facts.rpcUrl)
  provider.pollingInterval = 50
  const [publisher, buyer] = [provider.getSigner(1), provider.getSigner(2)]
  const files = contents.map((one) => (typeof one === 'string' ? { type: 'url', url: one, method: 'GET' } : one))
  const asset = await publish({ network: facts, publisher, files })
  await served(facts.providerUrl, asset)
  const address = await buyer.getAddress()
  const fee = await quote(facts, asset, address)
  await acquire(facts, asset, buyer)
  const transferTxId = await order(facts, asset, buyer, fee)
  const nonce = freshNonce()
  const expiration = `${Math.floor(Date.now() / 1000) + 3600}`
  const signed = { address, nonce, signature: await signText(buyer, address + nonce), expiration }
  const { json } = await ask(`${facts.providerUrl}/api/services/createAuthToken?${new URLSearchParams(signed)}`)
  const service = { documentId: asset.did, serviceId: 'tide-access', transferTxId, consumerAddress: address }
  return { asset, service, token: json.token as string }
}
