import { type Served, type ServedService, STATES } from '@tidegate/protocol/asset'
import { defined, type Json } from '@tidegate/protocol/values'
import type { Address, Hex } from 'viem'
import { filesOf } from '../assets/asset.js'
import { PUBLISHING } from '../chain/abi.js'
import { servedDocument } from '../chain/document.js'
import { failureOf } from '../chain/failures.js'
import { momentOf } from '../chain/moment.js'
import { mustView, view } from '../chain/reads.js'
import { Sender, type SendOptions, type Transaction } from '../chain/sender.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { assertLists } from '../lists/access-list.js'
import type { AssetFile, AssetState, FileEdit, FileObject } from '../types.js'
import { changedDocument } from './changed-document.js'
import { type Changes, DESCRIBED, type Difference, type Plan, planOf } from './changes.js'
import { encryptedFiles, encryptedVersion, putMetadata, validated } from './metadata.js'
import { assertFiles, assertRequest, bad } from './publish-request.js'

export interface Changed {
  did: string
  /** The fields that were changed. */
  changed: Difference['field'][]
  /** Empty if there was nothing to change. */
  transactions: Hex[]
}

/**
 * Changes an asset in the fewest transactions: one for its document with its state, and those of a new price. Sends none
 * for fields that are the same, so that a repeated call completes one that has failed. Checks new files first. Throws
 * TidegateError `NOT_PERMITTED` if the account may not change it, `UNSUPPORTED_DOCUMENT` for the document of version 5,
 * `BAD_REQUEST`, `FILE_UNAVAILABLE`, `VALIDATION`; all of them before it sends anything.
 *
 * @example
 * await tidegate.update('did:op:…', { files: [{ type: 'url', url, method: 'GET' }], keepOld: true, price: 'free' })
 */
export async function update(context: Context, did: string, changes: Changes): Promise<Changed> {
  const { served, sender, plan } = await begun(context, did, changes)
  const { nft, chainId } = served
  const { prices, described, state } = plan
  const changed = plan.differences.map(({ field }) => field)
  const isEdited = DESCRIBED.some((field) => field in described)
  const document = isEdited ? await edited(context, served, plan) : undefined
  // before the price transactions are paid
  if (document && prices.length > 0) await validated(context, JSON.stringify(document))
  for (const price of prices) await sender.send(price)
  try {
    if (document) await putMetadata(context, sender, { nft, chainId, state: state.after, document })
    else if (state.after !== state.before) await sender.send(stateChange(nft, state.after))
  } catch (error) {
    throw failureOf(error, { what: 'to change the metadata', transactions: sender.sent })
  }
  return { did, changed, transactions: sender.sent }
}

/**
 * Returns what `update` would change, and sends nothing. Files always differ: nobody but the provider can read the old ones.
 * Throws TidegateError like `update`, apart from errors of files and documents.
 */
export async function differences(context: Context, did: string, changes: Changes): Promise<Difference[]> {
  return (await begun(context, did, changes)).plan.differences
}

async function begun(context: Context, did: string, changes: Changes) {
  const { access, accessLists, terms, price: _, ...others } = changes
  if (changes.keepOld && !changes.files) throw bad('keepOld', 'needs new files')
  // changes of present files may be all
  if (editsIn(changes.keepOld)[0] && !changes.files?.[0]) delete others.files
  assertRequest({
    ...others,
    access: access ?? undefined,
    accessLists: accessLists ?? undefined,
    terms: terms ?? undefined,
  })
  const served = await servedDocument(context, did)
  const sender = await permitted(context, served, changes)
  await assertLists(sender.moment, accessLists ?? [], sender.address)
  return { served, sender, plan: await planOf(context, sender, served, changes) }
}

async function edited(context: Context, served: Served, { described, service }: Plan): Promise<Json> {
  const { files, keepOld } = described
  const all = files && (await describedFiles(context, served, service, { files, keepOld }))
  const sealed = files && (await sealedFiles(context, served, service, { ...described, files }))
  return changedDocument(context.url, served, described, { index: service.index, sealed, files: all })
}

/** Checks new files, and describes all of the new version; none if the provider does not describe the present ones now. */
async function describedFiles(
  context: Context,
  { did }: Served,
  service: ServedService,
  { files, keepOld }: Pick<Changes, 'keepOld'> & { files: readonly FileObject[] },
): Promise<AssetFile[]> {
  const edits = editsIn(keepOld)
  const added = await assertFiles(context, [...files, ...edits.flatMap(({ file = [] }) => file)])
  const replacing = added.splice(files.length)
  if (!keepOld) return added
  const present = new Map((await filesOf(context, did, service)).map((file) => [file.index, file]))
  if (present.size === 0) return []
  for (const { index, remove, name, file } of edits) {
    const before = present.get(index)
    const next = file ? replacing.shift() : before
    if (remove) present.delete(index)
    else if (next) present.set(index, { ...next, ...defined({ name: name ?? before?.name }) })
  }
  return [...added, ...present.values()]
}

function sealedFiles(
  context: Context,
  { did, nft, chainId }: Served,
  { id, datatoken }: ServedService,
  { files, keepOld, filesVersion }: Changes & { files: FileObject[] },
): Promise<Hex> {
  if (!keepOld) return encryptedFiles(context, chainId, { nft, datatoken }, files)
  const about = { documentId: did, serviceId: id, filesVersion }
  return encryptedVersion(context, about, { nft, datatoken }, files, editsIn(keepOld))
}

const editsIn = (keepOld: Changes['keepOld']): FileEdit[] => (Array.isArray(keepOld) ? keepOld : [])

function stateChange(nft: Address, state: AssetState): Transaction {
  const what = `to set the state to ${state}`
  return { to: nft, abi: PUBLISHING, functionName: 'setMetaDataState', args: [STATES.indexOf(state)], what }
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
  if (!STATES.includes(state)) throw new TidegateError('BAD_REQUEST', `state must be one of ${STATES.join(', ')}.`)
  const served = await servedDocument(context, did)
  const sender = await permitted(context, served, options)
  if (STATES[await mustView(sender.moment, served.nft, 'metaDataState', [])] === state)
    return { did, changed: [], transactions: [] }
  await sender.send(stateChange(served.nft, state))
  return { did, changed: ['state'], transactions: sender.sent }
}

/** Returns a sender that may change the asset. Throws TidegateError `NOT_PERMITTED`, which names the permitted account. */
async function permitted(
  context: Context,
  { chainId, nft, did, block }: Served,
  options: SendOptions,
): Promise<Sender> {
  const sender = await Sender.of(context, chainId, options, await momentOf(context, chainId, block))
  const { moment, address } = sender
  if ((await view(moment, nft, 'getPermissions', [address]))?.updateMetadata) return sender
  const owner = await view(moment, nft, 'ownerOf', [1n])
  const whose = owner ? ` Its owner ${owner} may, and whom the owner has named.` : ''
  throw new TidegateError('NOT_PERMITTED', `The account ${address} may not change ${did}.${whose}`)
}
