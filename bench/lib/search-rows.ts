import { pathNumber } from '../../packages/catalog/src/search/conditions/tokens.js'
import { leavesOf, ORDERS, type Searchable, searchable } from '../../packages/catalog/src/search/documents/document.js'
import { priceRows } from '../../packages/catalog/src/search/prices.js'
import {
  firstId,
  type SearchValue,
  sliceOf,
  type TextColumns,
  textColumns,
  textRow,
  valueRows,
} from '../../packages/catalog/src/search/tables/rows.js'
import { packed } from '../../packages/database/src/packed.js'
import type { Dialect } from '../../packages/database/src/sql.js'
import type { IndexedAsset } from '../../packages/protocol/src/ddo/indexed.js'
import type { Offer } from '../../packages/protocol/src/ddo/on-chain/on-chain-data.js'
import { addressesOf, assetAt, CHAIN, contentOf, TOKENS } from './search-documents.js'

/** Different texts. Each is that of several assets if there are more, since making their words costs most. */
const CONTENTS = 20_000

interface Content {
  metadata: ReturnType<typeof contentOf>
  text: TextColumns
  values: SearchValue[]
}

/** Orders of an asset: 0 to 20, so ten on average. */
export const ordersOf = (at: number) => (at * 7919) % 21

/** Makes the rows of assets, as the index stores them, by table. */
export class SearchRows {
  private readonly contents: Content[] = []

  constructor(private readonly dialect: Dialect) {}

  /** Returns the rows of an asset. */
  of(at: number): Record<string, object[]> {
    const { dialect } = this
    const content = this.contentAt(at % CONTENTS)
    const offer = offerOf(at)
    const datatoken = addressesOf(at).datatoken
    const plain = assetAt(at, {})
    const asset: IndexedAsset = {
      ...plain,
      datatokens: plain.datatokens.map((one) => ({ ...one, orders: ordersOf(at) })),
      offers: new Map(offer ? [[datatoken, [offer]]] : []),
    }
    const document = searchable(asset) as Searchable
    const id = firstId(document)
    const { metadata, services } = assetAt(at, content.metadata)
    const ddo = metadata.ddo as string
    const values = [...content.values, ...valueRows(document), ...priceRows(asset)]
    const { nft } = asset
    return {
      index_nft: [
        {
          chain_id: CHAIN,
          address: nft.address,
          name: nft.name,
          symbol: nft.symbol,
          token_uri: '',
          owner: nft.owner,
          created: nft.created,
        },
      ],
      index_datatoken: asset.datatokens.map((one) => ({ chain_id: CHAIN, ...one, position: 0 })),
      index_asset: [
        {
          did: metadata.did,
          chain_id: CHAIN,
          nft: nft.address,
          state: 0,
          ddo: packed(ddo, 512),
          encrypted: 1,
          tx_id: metadata.txId,
          block: at,
          sender: metadata.from,
          timestamp: 1,
          services,
          size: ddo.length,
        },
      ],
      index_offer: offer ? [offerRow(at, offer)] : [],
      search_document: [{ id, chain_id: CHAIN, nft: nft.address, did: metadata.did }],
      search_text: [{ id, slice: sliceOf(id), ...joined(content.text, textRow(document, CHAIN, dialect)) }],
      search_value: values.map((row) => ({ doc: id, ...row })),
    }
  }

  private contentAt(at: number): Content {
    while (this.contents.length <= at) {
      const metadata = contentOf()
      const document = { did: '', created: 0, encrypted: false, orders: 0, ...leavesOf({ metadata }) }
      // the orders are those of each asset
      const values = valueRows(document).filter(({ path }) => path !== pathNumber(ORDERS))
      this.contents.push({ metadata, text: textColumns(document, this.dialect), values })
    }
    return this.contents[at] as Content
  }
}

/** Joins the columns of texts with those of the rest. */
function joined(content: TextColumns, rest: TextColumns): TextColumns {
  return Object.fromEntries(Object.entries(rest).map(([name, text]) => [name, `${text} ${content[name] ?? ''}`]))
}

/** Of ten assets, seven are sold for a token, and two are free. */
function offerOf(at: number): Offer | undefined {
  if (at % 10 === 9) return undefined
  const { nft } = addressesOf(at)
  if (at % 10 > 6) return { type: 'dispenser', price: '0', contract: nft }
  const price = String(Math.floor(1000 ** ((at * 0.414_213_56) % 1) * 100) / 100)
  const token = TOKENS[Math.floor(4 * ((at * 0.732_050_8) % 1) ** 2)] as Offer['contract']
  return { type: 'fixedrate', price, contract: nft, token, exchangeId: `0x${at.toString(16).padStart(64, '0')}` }
}

function offerRow(
  at: number,
  { type, price, contract, token = null, exchangeId = null }: { [K in keyof Offer]: Offer[K] | null },
) {
  const { nft, datatoken } = addressesOf(at)
  const id = `${contract} ${exchangeId ?? datatoken}`
  return {
    chain_id: CHAIN,
    id,
    nft,
    datatoken,
    type,
    contract,
    token,
    exchange: exchangeId,
    price,
    active: 1,
    block: at,
    log: 0,
  }
}
