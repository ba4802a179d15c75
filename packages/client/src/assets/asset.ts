import { describe, filesIn, linkedBy } from '@tidegate/protocol/asset'
import { type Address, zeroAddress } from 'viem'
import { addressOf } from '../auth/signing.js'
import { initialize } from '../buying/initialize.js'
import { planOf } from '../buying/price.js'
import { servedDocument } from '../chain/document.js'
import { type Moment, momentOf } from '../chain/moment.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Asset, AssetFile, AssetService, Price } from '../types.js'

/** Most services of an asset that are described, and the number described concurrently. */
const SERVICES = 50
const AT_ONCE = 4

export interface AssetOptions {
  signal?: AbortSignal
}

/**
 * Describes an asset: texts, terms, links, full price, and files with their availability.
 * Without a chain the prices are those of the provider's index (`told`), without fees. An asset in a hidden state has
 * neither texts nor services. Throws TidegateError `ASSET_NOT_FOUND`, `TAKEN_DOWN`, `BAD_DID`, `WRONG_DOCUMENT`.
 *
 * @example
 * const { name, services } = await asset(context, did)
 * services[0].price.total.map(({ amount, symbol }) => `${amount} ${symbol}`)
 */
export async function asset(context: Context, did: string, { signal }: AssetOptions = {}): Promise<Asset> {
  const served = await servedDocument(context, did)
  signal?.throwIfAborted()
  const described = describe(served)
  const services: AssetService[] = []
  const moment = described.services.length > 0 ? momentOf(context, served.chainId, served.block) : undefined
  // each price awaits it
  moment?.catch(() => undefined)
  const shown = described.services.slice(0, SERVICES)
  for (let at = 0; at < shown.length; at += AT_ONCE) {
    const some = shown.slice(at, at + AT_ONCE)
    services.push(
      ...(await Promise.all(some.map((service) => complete(context, described, service, { moment, signal })))),
    )
  }
  return { ...described, ...linkedBy(context.url, served), services }
}

async function complete(
  context: Context,
  { did, chainId, owner }: Asset,
  service: AssetService,
  { moment, signal }: { moment: Promise<Moment> | undefined; signal: AbortSignal | undefined },
): Promise<AssetService> {
  const [files, price] = await Promise.all([
    filesOf(context, did, service, signal),
    wholePrice(context, { did, chainId, owner }, service, moment),
  ])
  return { ...service, files, price }
}

/** Describes the files of a service. Empty if the provider cannot: the asset can be bought anyway. */
export async function filesOf(
  { api }: Context,
  did: string,
  { id: serviceId }: Pick<AssetService, 'id'>,
  signal?: AbortSignal | undefined,
): Promise<AssetFile[]> {
  try {
    return filesIn(await api.post('/api/services/fileinfo', { did, serviceId }, signal))
  } catch (error) {
    if (error instanceof TidegateError) return []
    throw error
  }
}

/** Returns the chain's price with the provider's fee, or the index's price if the chain does not answer. */
async function wholePrice(
  context: Context,
  { did, chainId, owner }: { did: string; chainId: number; owner: Address },
  { id, datatoken, price }: AssetService,
  moment: Promise<Moment> | undefined,
): Promise<Price> {
  try {
    const at = await moment
    const buyer = context.wallet ? await addressOf(context) : undefined
    const consumer = buyer ?? (owner === zeroAddress ? datatoken : owner)
    // a consumer without access sees the price without the fee
    const fee = await initialize(context, { did, service: id, consumer }).catch(() => undefined)
    const providerFee = fee && 'providerFee' in fee ? fee.providerFee : undefined
    return (await planOf(context, { chainId, datatoken, providerFee, buyer, ignoreHeld: true }, at)).price
  } catch (error) {
    if (!(error instanceof TidegateError)) throw error
    return /^(FOREIGN_DATATOKEN|UNKNOWN_TEMPLATE)$/.test(error.code) ? { type: 'unavailable', total: [] } : price
  }
}
