import {
  type Asset,
  type AssetService,
  chosenService,
  describedAsset,
  type SearchResult,
  searchBody,
  searchResult,
} from '@tidegate/protocol/asset'
import { tokensOf } from '@tidegate/protocol/networks'
import type { Json } from '@tidegate/protocol/values'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Address, erc20Abi, formatUnits, getAddress, type Hex, isAddress } from 'viem'
import { verifiedPublishersOf } from '../../config/operator.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Reader } from '../../mcp/reader.js'
import { ToolError } from '../../mcp/tool-error.js'
import { type KnownOrder, priceView, sellerView } from '../../mcp/views.js'
import { credentialsOf } from '../endpoints/credentials.js'
import { publicUrl } from '../endpoints/public-url.js'
import type { Services } from '../services.js'
import { withFiles } from './asset-files.js'
import { type InProcessApi, inProcessApi } from './in-process-api.js'

const { orders: LISTED } = PROVIDER_LIMITS.mcp.listed

/** Creates the reader of the tools for a request. It asks the service's own routes, with their checks and limits. */
export function serviceReader(
  app: FastifyInstance,
  outer: FastifyRequest,
  { chains, settings }: Pick<Services, 'chains' | 'settings'>,
): Reader {
  const url = new URL(publicUrl(outer, settings)).href.replace(/\/+$/, '')
  const api = inProcessApi(app, outer)
  const names = verifiedPublishersOf(settings)
  const credentials = credentialsOf(outer)
  const token = credentials && 'token' in credentials ? credentials.token : undefined
  const orders = async (given: string | undefined, signal: AbortSignal) => {
    const address = given ?? (token === undefined ? undefined : holderOf(token))
    if (address === undefined) throw new ToolError('NO_ADDRESS', 'Name the address of the buyer.')
    return { address: getAddress(address), orders: await ordersOf(api, getAddress(address), signal) }
  }
  const document = (did: string, signal: AbortSignal) => api.get<Json>(`/api/aquarius/assets/ddo/${did}`, {}, signal)
  const described = async (did: string, signal: AbortSignal) => {
    const found = describedAsset(url, await document(did, signal))
    if (found?.did !== did) throw new ToolError('WRONG_DOCUMENT', `The document of ${did} is that of another asset.`)
    return found
  }
  return {
    url,
    document,
    search: async (query, signal) =>
      searchResult(await api.post('/api/aquarius/assets/query', searchBody(query), signal), query) as SearchResult,
    asset: async (did, signal) => withFiles(api, await described(did, signal), signal),
    publicFile: (path, bytes, signal) => api.file(path, bytes, signal),
    verifiedPublishers: async () => names,
    orders,
    async quote({ did, service: id, file, address }, signal) {
      const found = await described(did, signal)
      const { services, owner, chainId } = found
      const seller = sellerView(found, names)
      const chosen = serviceIn(services, id)
      const { datatoken } = chosen
      const query = { documentId: did, serviceId: chosen.id, consumerAddress: address ?? owner, fileIndex: file }
      const { providerFee } = await api.get<{ providerFee: Fee }>('/api/services/initialize', query, signal)
      const price = priceView(chosen.price)
      const fee = await feeOf(chains, chainId, providerFee)
      const total = fee ? [...price.total, fee] : price.total
      return { did, service: chosen.id, chainId, seller, datatoken, price: { ...price, total }, note: NOTE }
    },
    async link({ did, service, file, order }, signal) {
      if (token === undefined)
        throw new ToolError('TOKEN_REQUIRED', 'Send an auth token in the header Authorization: Bearer TOKEN.')
      const transferTxId = order ?? (await orders(undefined, signal)).orders.find((one) => one.did === did)?.tx
      if (transferTxId === undefined)
        throw new ToolError('NO_ORDER', 'The index has no order of the account for this asset.')
      const consumerAddress = holderOf(token)
      if (consumerAddress === undefined) throw new ToolError('TOKEN_INVALID', 'The auth token cannot be read.')
      const serviceId = service ?? (await onSale(described(did, signal))).id
      const wanted = { documentId: did, serviceId, transferTxId, fileIndex: file ?? 0, consumerAddress }
      const path = '/api/services/download/link'
      const made = await inProcessApi(app, outer, token).post<{ url: string; expires: number }>(path, wanted, signal)
      return { url: made.url, expires: new Date(made.expires * 1000) }
    },
  }
}

/** Returns the service that is sold by default. Throws ToolError `ASSET_NOT_CONSUMABLE`, `UNKNOWN_SERVICE`. */
async function onSale(described: Promise<Asset>): Promise<AssetService> {
  const { state, services } = await described
  if (state !== 'active' && state !== 'unlisted')
    throw new ToolError('ASSET_NOT_CONSUMABLE', `The asset is ${state}: it is not for sale.`)
  return serviceIn(services, undefined)
}

function serviceIn(services: readonly AssetService[], id: string | undefined): AssetService {
  const chosen = chosenService(services, id)
  if (!chosen) throw new ToolError('UNKNOWN_SERVICE', 'The asset has no such service for sale.')
  return chosen
}

const NOTE =
  'The price is that of the index, with the fee of this provider. Fees of the exchange may come on top, and gas does. `tidegate mcp` quotes exactly, and buys.'

interface Fee {
  providerFeeToken: Address
  providerFeeAmount: string
}

/** Returns the provider's fee; undefined if there is none. Its token is the operator's choice. */
async function feeOf(chains: Services['chains'], chainId: number, { providerFeeToken, providerFeeAmount }: Fee) {
  const [token, chain] = [getAddress(providerFeeToken), chains.get(chainId)]
  if (!chain || BigInt(providerFeeAmount) === 0n) return undefined
  const named = Object.entries(tokensOf(chain.deployment)).find(([, address]) => getAddress(address) === token)
  const call = { address: token, abi: erc20Abi, functionName: 'decimals' } as const
  const decimals = await chain.nodes.ask((client) => client.readContract(call))
  return { token, amount: formatUnits(BigInt(providerFeeAmount), decimals), untrusted: { symbol: named?.[0] ?? '' } }
}

/** Returns the newest orders of an address in the index, one more than are shown. */
async function ordersOf(api: InProcessApi, consumer: Address, signal: AbortSignal): Promise<KnownOrder[]> {
  const query = { bool: { filter: [{ term: { consumer } }] } }
  const body = { index: 'order', from: 0, size: LISTED + 1, sort: { timestamp: 'desc' }, query }
  const [page] = await api.post<[Row[] | { results: Row[] }]>('/api/aquarius/assets/metadata/query', body, signal)
  const rows = Array.isArray(page) ? page : (page?.results ?? [])
  const didList = [...new Set(rows.map(({ did }) => did))]
  const names = await api.post<Record<string, string>>('/api/aquarius/assets/names', { didList }, signal)
  return rows.map(({ orderId: tx, did, chainId, datatokenAddress: datatoken, timestamp }) => ({
    ...{ tx, did, chainId, datatoken, name: names[did] ?? '' },
    started: new Date(timestamp * 1000),
  }))
}

interface Row {
  orderId: Hex
  did: string
  chainId: number
  datatokenAddress: Address
  timestamp: number
}

/** Returns the account in a token's own claims. The route of links verifies the token. */
function holderOf(token: string): string | undefined {
  try {
    const { address } = JSON.parse(Buffer.from(token.split('.')[1] as string, 'base64url').toString()) as {
      address?: unknown
    }
    return typeof address === 'string' && isAddress(address) ? address : undefined
  } catch {
    return undefined
  }
}
