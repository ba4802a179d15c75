import { asset, type Context, createContext, link, TidegateError } from '@tidegate/client'
import { tokensOf } from '@tidegate/protocol/networks'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type Address, erc20Abi, formatUnits, getAddress, type Hex, isAddress } from 'viem'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Reader } from '../../mcp/reading-tools.js'
import { type KnownOrder, priceView } from '../../mcp/views.js'
import { credentialsOf } from '../endpoints/credentials.js'
import { publicUrl } from '../endpoints/public-url.js'
import type { Services } from '../services.js'
import { inProcessApi } from './in-process-api.js'

const { orders: LISTED } = PROVIDER_LIMITS.mcp.listed

/** Creates the reader of the tools for a request. It asks the service's own routes, with their checks and limits. */
export function serviceReader(
  app: FastifyInstance,
  outer: FastifyRequest,
  { chains, settings }: Pick<Services, 'chains' | 'settings'>,
): Reader {
  const url = publicUrl(outer, settings)
  const contextOf = (token?: string) => ({
    ...createContext({ url, ...(token === undefined ? {} : { token }) }),
    api: inProcessApi(app, outer, token),
  })
  const context = contextOf()
  const credentials = credentialsOf(outer)
  const token = credentials && 'token' in credentials ? credentials.token : undefined
  const orders = async (given: string | undefined, signal: AbortSignal) => {
    const address = given ?? (token === undefined ? undefined : holderOf(token))
    if (address === undefined) throw new TidegateError('NO_ADDRESS', 'Name the address of the buyer.')
    return { address: getAddress(address), orders: await ordersOf(context, getAddress(address), signal) }
  }
  return {
    context,
    orders,
    async quote({ did, service: id, file, address }, signal) {
      const { services, owner, chainId } = await asset(context, did, { signal })
      const service = id === undefined ? (services.find(({ type }) => type === 'access') ?? services[0]) : undefined
      const chosen = service ?? services.find((one) => one.id === id)
      if (!chosen) throw new TidegateError('UNKNOWN_SERVICE', 'The asset has no such service for sale.')
      const { datatoken } = chosen
      const query = { documentId: did, serviceId: chosen.id, consumerAddress: address ?? owner, fileIndex: file }
      const { providerFee } = await context.api.get<{ providerFee: Fee }>('/api/services/initialize', query, signal)
      const price = priceView(chosen.price)
      const fee = await feeOf(chains, chainId, providerFee)
      const total = fee ? [...price.total, fee] : price.total
      return { did, service: chosen.id, chainId, datatoken, price: { ...price, total }, note: NOTE }
    },
    async link({ did, service, file, order }, signal) {
      if (token === undefined)
        throw new TidegateError('TOKEN_REQUIRED', 'Send an auth token in the header Authorization: Bearer TOKEN.')
      const found = order ?? (await orders(undefined, signal)).orders.find((one) => one.did === did)?.tx
      if (found === undefined)
        throw new TidegateError('NO_ORDER', 'The index has no order of the account for this asset.')
      return link(contextOf(token), did, { service, file, order: found as Hex, signal })
    },
  }
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
async function ordersOf({ api }: Context, consumer: Address, signal: AbortSignal): Promise<KnownOrder[]> {
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
