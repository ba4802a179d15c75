import type { Address } from 'viem'
import { type Served, type ServedService, STATES, serviceIn } from '../chain/document.js'
import { mustView } from '../chain/reads.js'
import type { Sender, SendOptions, Transaction } from '../chain/sender.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { Asking, AssetState, PublishRequest } from '../types.js'
import { fieldsOf, listOf } from '../values.js'
import { priceChange } from './price-change.js'

type Editable = 'files' | 'name' | 'description' | 'author' | 'license' | 'tags' | 'serviceName' | 'timeout'

/** Changes of an asset; absent fields stay unchanged. */
export interface Changes extends Partial<Pick<PublishRequest, Editable>>, SendOptions {
  /** With `files`: keeps the present files, after the new ones. */
  keepOld?: boolean
  /** The only addresses that may buy; null for all. */
  access?: Address[] | null
  /** A new price, or `free`. Default token: the present one, or OCEAN for a free asset. */
  price?: Asking
  /** Whether searches find the asset. */
  state?: 'active' | 'unlisted'
  /** Service to change files, price, name and timeout of. Default: the first of type access. */
  service?: string
}

type Described = Editable | 'access'

/** Changes that the document holds. */
export const DESCRIBED: readonly Described[] = [
  'files',
  'name',
  'description',
  'author',
  'license',
  'tags',
  'serviceName',
  'timeout',
  'access',
]

/** A field that a change replaces. Prices are texts; access is null for everybody; the old files are unknown. */
export interface Difference {
  field: Described | 'price' | 'state'
  before?: unknown
  after: unknown
}

/** Changes without those that change nothing. */
export interface Plan {
  differences: Difference[]
  /** Fields of the document that differ. */
  described: Changes
  /** Transactions of a new price. */
  prices: Transaction[]
  /** State of the asset on the chain, now and afterwards. */
  state: { before: AssetState; after: AssetState }
  service: ServedService
}

/** Compares changes with document and chain. Throws TidegateError `UNSUPPORTED_DOCUMENT`, and the errors of `priceChange`. */
export async function planOf(context: Context, sender: Sender, served: Served, changes: Changes): Promise<Plan> {
  const { chainId, nft, document } = served
  const service = serviceIn(served, changes.service)
  const { datatoken } = service
  const isEdit = DESCRIBED.some((field) => changes[field] !== undefined)
  if (isEdit && document.credentialSubject !== undefined)
    throw new TidegateError('UNSUPPORTED_DOCUMENT', 'Only price and state of a document of version 5 can be changed.')
  const present = described(served, service)
  const differences: Difference[] = DESCRIBED.filter(
    (field) => changes[field] !== undefined && !isSame(field, present[field], changes[field]),
  ).map((field) => ({ field, before: present[field], after: changes[field] }))
  const kept = Object.fromEntries(differences.map(({ field, after }) => [field, after])) as Changes
  const { price, keepOld } = changes
  const sold = price && (await priceChange(context, sender, { chainId, datatoken, price }))
  const prices = sold?.transactions ?? []
  if (sold && prices.length > 0) differences.push({ field: 'price', before: sold.before, after: sold.after })
  // the index may be older
  const before = STATES[await mustView(sender.client, nft, 'metaDataState', [])] ?? 'disabled'
  const after = changes.state ?? before
  if (after !== before) differences.push({ field: 'state', before, after })
  return {
    differences,
    described: keepOld === undefined ? kept : { ...kept, keepOld },
    prices,
    state: { before, after },
    service,
  }
}

/** Returns the present values of fields that a document holds. */
function described(
  { document }: Served,
  { index, timeout }: ServedService,
): Partial<Record<Difference['field'], unknown>> {
  const { name, description, author, license, tags = [] } = fieldsOf(document.metadata)
  const service = fieldsOf(listOf(document.services, 1000)[index])
  return {
    ...{ name, description, author, license, tags, timeout },
    serviceName: service.name,
    access: accessOf(document.credentials),
  }
}

/** Returns the addresses that may buy, null for everybody; undefined for credentials of another form. */
function accessOf(credentials: unknown): string[] | null | undefined {
  const { allow = [] } = fieldsOf(credentials)
  if (!Array.isArray(allow)) return undefined
  if (allow.length === 0) return null
  const { type, values } = fieldsOf(allow[0])
  return allow.length === 1 && type === 'address' && Array.isArray(values) ? values.map(String) : undefined
}

function isSame(field: Difference['field'], before: unknown, after: unknown): boolean {
  return JSON.stringify(comparable(field, before)) === JSON.stringify(comparable(field, after))
}

/** Order and spelling of addresses make no difference. */
function comparable(field: Difference['field'], value: unknown): unknown {
  if (field === 'access' && Array.isArray(value)) return value.map((one) => String(one).toLowerCase()).sort()
  return value
}
