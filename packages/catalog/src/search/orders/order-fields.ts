import { checksummed, isAddressText } from '@tidegate/protocol'

/** How the values of a field of an order are stored. */
interface OrderField {
  column: string
  /** Returns a value as it is stored; undefined for a text that no order has. */
  stored(text: string): string | number | undefined
  /** Whether an index lists the orders with a value. */
  isListed?: true
}

const address = (text: string) => (isAddressText(text) ? checksummed(text) : undefined)
const hash = (text: string) => (/^0x[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined)
/** PostgreSQL refuses a NUL, and no stored text has one (`change-statements.ts`). */
const printable = (text: string) => (text.includes('\0') ? undefined : text)
const number = (text: string) => (/^\d{1,15}$/.test(text) ? Number(text) : undefined)

/** The fields of an order that a search may name, beside those of its asset (`ASSET_FIELDS`). */
export const ORDER_FIELDS: ReadonlyMap<string, OrderField> = new Map(
  Object.entries({
    consumer: { column: 'consumer', stored: address, isListed: true },
    payer: { column: 'payer', stored: address, isListed: true },
    datatokenAddress: { column: 'datatoken', stored: address, isListed: true },
    orderId: { column: 'tx_id', stored: hash, isListed: true },
    id: { column: 'tx_id', stored: hash, isListed: true },
    startOrderId: { column: 'started', stored: hash },
    timestamp: { column: 'timestamp', stored: number },
    serviceIndex: { column: 'service', stored: number },
    type: {
      column: "CASE WHEN started IS NULL THEN 'startOrder' ELSE 'reuseOrder' END",
      stored: (text) => (text === 'startOrder' || text === 'reuseOrder' ? text : undefined),
    },
  } satisfies Record<string, OrderField>),
)

/** Fields of the asset of an order, as columns of `index_asset a`. */
export const ASSET_FIELDS: ReadonlyMap<string, { column: string; stored(text: string): string | undefined }> = new Map([
  ['did', { column: 'a.did', stored: printable }],
  ['nftAddress', { column: 'a.nft', stored: address }],
])

/** An order in the form of Ocean Node. */
export interface FoundOrder {
  orderId: string
  type: 'startOrder' | 'reuseOrder'
  timestamp: number
  consumer: string
  payer: string
  datatokenAddress: string
  nftAddress: string
  did: string
  /** The order that a reuse renews. */
  startOrderId?: string
  serviceIndex?: number
  chainId: number
}
