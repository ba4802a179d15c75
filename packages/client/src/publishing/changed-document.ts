import { withoutAdded } from '@tidegate/protocol/added-fields'
import { isList, type Served, termsFields } from '@tidegate/protocol/asset'
import { defined, fieldsOf, type Json, listOf } from '@tidegate/protocol/values'
import type { Hex } from 'viem'
import type { AssetFile } from '../types.js'
import { type Changes, samplesOf } from './changes.js'
import { credentialsFor, timestamp } from './draft.js'
import { nextRelease } from './next-release.js'

/** Returns the document of an asset after changes. Fields of others stay. */
export function changedDocument(
  provider: string,
  { document, chainId }: Served,
  changes: Changes,
  own: {
    index: number
    sealed: Hex | undefined
    /** All new files, if they change. */
    files: AssetFile[] | undefined
  },
): Json {
  const { name, description, author, license, tags, serviceName, timeout } = changes
  const now = timestamp()
  const kept = withoutAdded(document)
  const services = (kept.services as Json[]).map((service, at) =>
    at === own.index
      ? withRelease(
          { ...service, ...defined({ name: serviceName, timeout, files: own.sealed }) },
          changes,
          own.files,
          now,
        )
      : service,
  )
  const described = defined({ name, description, author, license, tags })
  const { credentials, ...rest } = kept
  const metadata = withLinks(provider, withTerms(fieldsOf(kept.metadata), changes), changes)
  return {
    ...rest,
    metadata: { ...metadata, ...described, updated: now },
    services,
    ...admitted(changes, credentials, chainId),
  }
}

function withRelease(service: Json, { notes }: Changes, files: AssetFile[] | undefined, date: string): Json {
  if (files === undefined && notes === undefined) return service
  const { release, ...others } = fieldsOf(service.additionalInformation)
  const before = fieldsOf(release)
  return { ...service, additionalInformation: { ...others, release: nextRelease(before, { notes, files, date }) } }
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
