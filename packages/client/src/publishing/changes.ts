import {
  isList,
  releaseOf,
  type Served,
  type ServedService,
  STATES,
  termsFields,
  termsOf,
  webLink,
} from '@tidegate/protocol/asset'
import { fieldsOf, listOf, plainText } from '@tidegate/protocol/values'
import type { Address } from 'viem'
import { serviceIn } from '../chain/document.js'
import { mustView } from '../chain/reads.js'
import type { Sender, SendOptions, Transaction } from '../chain/sender.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { TermsDocument } from '../terms/types.js'
import type { Asking, AssetState, FileEdit, PublishRequest } from '../types.js'
import { priceChange } from './price-change.js'
import { bad } from './publish-request.js'

type Editable = 'files' | 'name' | 'description' | 'author' | 'license' | 'tags' | 'serviceName' | 'timeout' | 'notes'

/** Changes of an asset; absent fields stay unchanged. */
export interface Changes extends Partial<Pick<PublishRequest, Editable>>, SendOptions {
  /** New terms; null for none. */
  terms?: TermsDocument | null
  /** URLs of new samples. They replace the links to public files of this provider, and other links stay. */
  samples?: string[]
  /** With `files`: keeps the present files, after the new ones; of a list, with these changes. Then `files` may be empty. */
  keepOld?: boolean | FileEdit[] | undefined
  /** The `filesVersion` that `keepOld` is about. If the asset has another one by now, nothing is changed. */
  filesVersion?: string | undefined
  /** The only addresses that may buy, beside the members of access lists; null for everybody. */
  access?: Address[] | null
  /** The access lists whose members may buy; null for none. */
  accessLists?: Address[] | null
  /** A new price, or `free`. Default token: the present one, or OCEAN for a free asset. */
  price?: Asking
  /** Whether searches find the asset. */
  state?: 'active' | 'unlisted'
  /** Service to change files, price, name and timeout of. Default: the first of type access. */
  service?: string
}

type Described = Editable | 'access' | 'accessLists' | 'terms' | 'samples'

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
  'notes',
  'access',
  'accessLists',
  'terms',
  'samples',
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
  const present = described(context.url, served, service)
  const isOnlyForMembers = Array.isArray(present.access) && present.access.length === 0
  if (changes.accessLists === null && changes.access === undefined && isOnlyForMembers)
    throw bad('accessLists', 'are the only buyers. Without them everybody may buy: set access to null instead')
  const differences: Difference[] = DESCRIBED.filter(
    (field) => changes[field] !== undefined && !isSame(field, present[field], changes[field]),
  ).map((field) => ({ field, before: present[field], after: changes[field] }))
  const kept = Object.fromEntries(differences.map(({ field, after }) => [field, after])) as Changes
  const { price, keepOld, filesVersion } = changes
  const sold = price && (await priceChange(context, sender, { chainId, datatoken, price }))
  const prices = sold?.transactions ?? []
  if (sold && prices.length > 0) differences.push({ field: 'price', before: sold.before, after: sold.after })
  // the index may be older
  const before = STATES[await mustView(sender.moment, nft, 'metaDataState', [])] ?? 'disabled'
  const after = changes.state ?? before
  if (after !== before) differences.push({ field: 'state', before, after })
  return {
    differences,
    described: { ...kept, keepOld, filesVersion },
    prices,
    state: { before, after },
    service,
  }
}

/** Returns the present values of fields that a document holds. */
function described(
  provider: string,
  { document }: Served,
  { index, timeout }: ServedService,
): Partial<Record<Difference['field'], unknown>> {
  const { name, description, author, license, tags = [], links } = fieldsOf(document.metadata)
  const terms = termsOf(provider, document)
  const service = fieldsOf(listOf(document.services, 1000)[index])
  return {
    ...{ name, description, author, license, tags, timeout },
    serviceName: service.name,
    notes: releaseOf(service)?.notes ?? '',
    access: accessOf(document.credentials),
    accessLists: accessListsOf(document.credentials),
    terms: terms ? termsFields(terms) : null,
    samples: samplesOf(provider, links),
  }
}

/** Returns the accounts that may buy beside members, null for everybody; undefined for credentials of another form. */
function accessOf(credentials: unknown): string[] | null | undefined {
  const { allow = [] } = fieldsOf(credentials)
  if (!Array.isArray(allow)) return undefined
  if (allow.length === 0) return null
  const [first, ...others] = allow.map(fieldsOf).filter((entry) => !isList(entry))
  if (!first) return []
  const { type, values } = first
  return others.length === 0 && type === 'address' && Array.isArray(values) ? values.map(plainText) : undefined
}

/** Returns the access lists whose members may buy; null for none. */
function accessListsOf(credentials: unknown): string[] | null {
  const { allow } = fieldsOf(credentials)
  const lists = listOf(allow, 1000).map(fieldsOf).filter(isList)
  return lists.length === 0 ? null : lists.map(({ accessList }) => plainText(accessList))
}

/** Returns the links of a document to public files of this provider. */
export function samplesOf(provider: string, links: unknown): unknown[] {
  return listOf(links, 1000).filter((url) => webLink(provider, url)?.isHere)
}

function isSame(field: Difference['field'], before: unknown, after: unknown): boolean {
  return JSON.stringify(comparable(field, before)) === JSON.stringify(comparable(field, after))
}

/** Order and spelling of addresses make no difference. */
function comparable(field: Difference['field'], value: unknown): unknown {
  if (field === 'terms' && value !== null) return Object.entries(fieldsOf(value)).sort()
  if ((field === 'access' || field === 'accessLists') && Array.isArray(value))
    return value.map((one) => plainText(one).toLowerCase()).sort()
  return value
}
