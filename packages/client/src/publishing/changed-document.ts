import { withoutAdded } from '@tidegate/protocol/added-fields'
import type { Hex } from 'viem'
import { isList } from '../assets/buyers.js'
import type { Served } from '../chain/document.js'
import { termsFields } from '../terms/terms-of.js'
import { defined, fieldsOf, type Json, listOf } from '../values.js'
import { type Changes, samplesOf } from './changes.js'
import { credentialsFor, timestamp } from './draft.js'

/** Returns the document of an asset after changes. Fields of others stay. */
export function changedDocument(
  provider: string,
  { document, chainId }: Served,
  changes: Changes,
  own: { index: number; sealed: Hex | undefined },
): Json {
  const { name, description, author, license, tags, serviceName, timeout } = changes
  const kept = withoutAdded(document)
  const services = (kept.services as Json[]).map((service, at) =>
    at === own.index ? { ...service, ...defined({ name: serviceName, timeout, files: own.sealed }) } : service,
  )
  const described = defined({ name, description, author, license, tags })
  const { credentials, ...rest } = kept
  const metadata = withLinks(provider, withTerms(fieldsOf(kept.metadata), changes), changes)
  return {
    ...rest,
    metadata: { ...metadata, ...described, updated: timestamp() },
    services,
    ...admitted(changes, credentials, chainId),
  }
}

function withTerms({ additionalInformation, ...metadata }: Json, { terms }: Changes): Json {
  const { termsAndConditions, ...others } = fieldsOf(additionalInformation)
  const now = terms === undefined ? termsAndConditions : terms ? termsFields(terms) : undefined
  const all = defined({ ...others, termsAndConditions: now })
  return Object.keys(all).length === 0 ? metadata : { ...metadata, additionalInformation: all }
}

/** Replaces the links to public files of this provider. */
function withLinks(provider: string, metadata: Json, { samples }: Changes): Json {
  if (samples === undefined) return metadata
  const { links, ...others } = metadata
  const own = new Set(samplesOf(provider, links))
  const all = [...listOf(links, 1000).filter((url) => !own.has(url)), ...samples]
  return all.length === 0 ? others : { ...others, links: all }
}

/** Returns the credentials after a change; denied accounts stay denied. */
function admitted({ access, accessLists }: Changes, before: unknown, chainId: number): Json {
  if (access === undefined && accessLists === undefined) return before === undefined ? {} : { credentials: before }
  const entries = listOf(fieldsOf(before).allow, 1000).map(fieldsOf)
  const { allow: lists } = credentialsFor([], accessLists ?? [], chainId)
  const { allow: accounts } = credentialsFor(access ?? [], [], chainId)
  const allow = [
    ...(access === undefined ? entries.filter((entry) => !isList(entry)) : accounts),
    // everybody may buy, not only the members
    ...(accessLists === undefined && access !== null ? entries.filter(isList) : lists),
  ]
  const deny = listOf(fieldsOf(before).deny, 1000)
  return allow.length + deny.length === 0 ? {} : { credentials: { allow, deny } }
}
