import { withoutAdded } from '@tidegate/protocol/added-fields'
import type { Address, Hex } from 'viem'
import { PUBLISHING } from '../chain/abi.js'
import { type Served, STATES, servedDocument, serviceIn } from '../chain/document.js'
import { failureOf } from '../chain/failures.js'
import { mustView, view } from '../chain/reads.js'
import { Sender, type SendOptions } from '../chain/sender.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { AssetState, PublishRequest } from '../types.js'
import { defined, type Json } from '../values.js'
import { credentialsFor, timestamp } from './draft.js'
import { encryptedFiles, putMetadata, validated } from './metadata.js'
import { assertFiles, assertRequest } from './publish-request.js'
import { newRate } from './rate.js'

type Editable = 'files' | 'name' | 'description' | 'author' | 'license' | 'tags' | 'serviceName' | 'timeout'

/** Changes of an asset; absent fields stay unchanged. */
export interface Changes extends Partial<Pick<PublishRequest, Editable>>, SendOptions {
  /** The only addresses that may buy; null for all. */
  access?: Address[] | null
  /** A new price in the same token, for an asset with a price. */
  price?: { amount: string }
  /** Service to change files, name and timeout of. Default: the first of type access. */
  service?: string
}

export interface Changed {
  did: string
  /** Empty if there was nothing to change. */
  transactions: Hex[]
}

/** Changes that the document holds. */
const DESCRIBED = [
  'files',
  'name',
  'description',
  'author',
  'license',
  'tags',
  'serviceName',
  'timeout',
  'access',
] as const satisfies (keyof Changes)[]

/**
 * Changes an asset: its metadata in one transaction, its price in another. Checks new files first. Throws TidegateError
 * `NOT_PERMITTED` if the account may not change it, `UNSUPPORTED_DOCUMENT` for the document of version 5, `BAD_REQUEST`,
 * `FILE_UNAVAILABLE`, `VALIDATION`; all of them before it sends anything.
 *
 * @example
 * await tidegate.update('did:op:…', { description: 'By the hour', tags: ['tide'] })
 */
export async function update(context: Context, did: string, changes: Changes): Promise<Changed> {
  const { access, ...others } = changes
  assertRequest(access ? { ...others, access } : others)
  const served = await servedDocument(context, did)
  const { nft, chainId, state, document } = served
  const edits = DESCRIBED.some((field) => changes[field] !== undefined)
  if (edits && document.credentialSubject !== undefined)
    throw new TidegateError('UNSUPPORTED_DOCUMENT', 'Only the price of a document of version 5 can be changed.')
  const { datatoken, index } = serviceIn(served, changes.service)
  const sender = await permitted(context, served, changes)
  const { files, price } = changes
  const rate = price && (await newRate(context, sender, { chainId, datatoken, price }))
  if (files) await assertFiles(context, files)
  const sealed = files && (await encryptedFiles(context, chainId, { nft, datatoken }, files))
  const edited = edits ? withChanges(document, changes, { index, sealed }) : undefined
  // before the price transaction is paid
  if (rate && edited) await validated(context, JSON.stringify(edited))
  if (rate) await sender.send(rate)
  if (!edited) return { did, transactions: sender.sent }
  try {
    await putMetadata(context, sender, { nft, chainId, state: STATES.indexOf(state), document: edited })
  } catch (error) {
    throw failureOf(error, { what: 'to change the metadata', transactions: sender.sent })
  }
  return { did, transactions: sender.sent }
}

/**
 * Sets the state of an asset: `revoked` ends its sale, `active` restores it, `unlisted` only hides it from searches, and so
 * on. Throws TidegateError `NOT_PERMITTED`.
 *
 * @example
 * await tidegate.setState('did:op:…', 'revoked')
 */
export async function setState(
  context: Context,
  did: string,
  state: AssetState,
  options: SendOptions = {},
): Promise<Changed> {
  const wanted = STATES.indexOf(state)
  if (wanted < 0) throw new TidegateError('BAD_REQUEST', `state must be one of ${STATES.join(', ')}.`)
  const served = await servedDocument(context, did)
  const sender = await permitted(context, served, options)
  if ((await mustView(sender.client, served.nft, 'metaDataState', [])) === wanted) return { did, transactions: [] }
  const what = `to set the state to ${state}`
  await sender.send({ to: served.nft, abi: PUBLISHING, functionName: 'setMetaDataState', args: [wanted], what })
  return { did, transactions: sender.sent }
}

/** Returns a sender that may change the asset. Throws TidegateError `NOT_PERMITTED`, which names the permitted account. */
async function permitted(context: Context, { chainId, nft, did }: Served, options: SendOptions): Promise<Sender> {
  const sender = await Sender.of(context, chainId, options)
  const { client, address } = sender
  if ((await view(client, nft, 'getPermissions', [address]))?.updateMetadata) return sender
  const owner = await view(client, nft, 'ownerOf', [1n])
  const whose = owner ? ` Its owner ${owner} may, and whom the owner has named.` : ''
  throw new TidegateError('NOT_PERMITTED', `The account ${address} may not change ${did}.${whose}`)
}

function withChanges(document: Json, changes: Changes, own: { index: number; sealed: Hex | undefined }): Json {
  const { name, description, author, license, tags, serviceName, timeout, access } = changes
  const kept = withoutAdded(document)
  const services = (kept.services as Json[]).map((service, at) =>
    at === own.index ? { ...service, ...defined({ name: serviceName, timeout, files: own.sealed }) } : service,
  )
  const described = defined({ name, description, author, license, tags })
  const { credentials, ...rest } = kept
  return {
    ...rest,
    metadata: { ...(kept.metadata as Json), ...described, updated: timestamp() },
    services,
    ...admitted(access, credentials),
  }
}

/** Returns the credentials after a change; denied accounts stay denied. */
function admitted(access: readonly Address[] | null | undefined, before: unknown): Json {
  if (access === undefined) return before === undefined ? {} : { credentials: before }
  const deny = (before as { deny?: unknown } | undefined)?.deny
  const denied = Array.isArray(deny) && deny.length > 0 ? { deny } : {}
  if (access !== null) return { credentials: { ...credentialsFor(access), ...denied } }
  return Object.keys(denied).length > 0 ? { credentials: { allow: [], ...denied } } : {}
}
