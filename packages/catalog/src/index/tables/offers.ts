import { type Query, sql, type Value } from '@tidegate/database'
import type { Address, Hex, Offer } from '@tidegate/protocol'
import { CATALOG_LIMITS } from '../../limits.js'
import type { CreatedOffer } from '../index-store.js'

const MARKET = sql(
  'INSERT INTO index_market (chain_id, address, block) VALUES (:chainId, :market, :block) ON CONFLICT DO NOTHING',
)
// offers of unknown datatokens are left out. A dispenser may be created once more for its datatoken
const OFFER = sql(
  `INSERT INTO index_offer (chain_id, id, nft, datatoken, type, contract, token, exchange, price, active, block, log)
   SELECT chain_id, :id, nft, address, :type, :contract, :token, :exchange, :price, 1, CAST(:block AS BIGINT),
     CAST(:log AS BIGINT)
   FROM index_datatoken WHERE chain_id = :chainId AND address = :datatoken
   ON CONFLICT (chain_id, id) DO UPDATE SET price = excluded.price, active = 1`,
)
const SET_PRICE = sql('UPDATE index_offer SET price = :price WHERE chain_id = :chainId AND id = :id')
const SET_ACTIVE = sql('UPDATE index_offer SET active = :active WHERE chain_id = :chainId AND id = :id')

/** Exchanges come before dispensers. An index has this order, since a datatoken may have any number of offers. */
const ORDER = 'type DESC, block, log'
const COLUMNS = 'datatoken, type, price, contract, token, exchange'
const FIRST = `(SELECT ${COLUMNS}, block, log FROM index_offer o
    WHERE o.chain_id = a.chain_id AND o.nft = a.nft AND o.active = 1
    ORDER BY ${ORDER} LIMIT ${CATALOG_LIMITS.search.offers}) AS first_offers`

/** The first active offers of an NFT as a JSON list, for a row `a` of index_asset. */
export const OFFERS = {
  sqlite: `(SELECT json_group_array(json_array(${COLUMNS})) FROM ${FIRST})`,
  postgres: `(SELECT coalesce(CAST(json_agg(json_build_array(${COLUMNS}) ORDER BY ${ORDER}) AS TEXT), '[]') FROM ${FIRST})`,
}

/** Parses a list of OFFERS. Returns the offers by datatoken, in the order of datatokens. */
export function offersIn(list: string, datatokens: readonly { address: Address }[]): Map<Address, Offer[]> {
  const found = new Map<Address, Offer[]>()
  for (const [datatoken, type, price, contract, token, exchangeId] of JSON.parse(list) as string[][]) {
    const offer = { type, price, contract, ...(token ? { token } : {}), ...(exchangeId ? { exchangeId } : {}) } as Offer
    const known = found.get(datatoken as Address)
    if (known) known.push(offer)
    else found.set(datatoken as Address, [offer])
  }
  return new Map(datatokens.flatMap(({ address }) => (found.has(address) ? [[address, found.get(address) ?? []]] : [])))
}

/** Returns the key of an offer: its contract, and the exchange's id or the dispenser's datatoken. */
export const offerKey = (market: Address, offer: Hex): string => `${market} ${offer}`

/** Returns the key of a new offer. */
export const keyOfOffer = ({ contract, exchangeId, datatoken }: CreatedOffer): string =>
  offerKey(contract, exchangeId ?? datatoken)

export const insertMarket = (chainId: number, market: Address, block: number): Query =>
  MARKET({ chainId, market, block })

/** Returns the statement that adds an offer, if its datatoken is in the index. */
export function insertOffer(chainId: number, offer: CreatedOffer): Query {
  const { exchangeId: exchange = null, token = null, ...rest } = offer
  return OFFER({ chainId, id: keyOfOffer(offer), ...rest, token, exchange } as Record<string, Value>)
}

export const setPrice = (chainId: number, id: string, price: string): Query => SET_PRICE({ chainId, id, price })

export const setActive = (chainId: number, id: string, isActive: boolean): Query =>
  SET_ACTIVE({ chainId, id, active: Number(isActive) })
