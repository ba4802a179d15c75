import type { Chains } from '@tidegate/chain'
import { ValidationError } from '@tidegate/protocol'
import type { StorageRegistry, StoredFile } from '@tidegate/storage'
import type { FastifyRequest } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'
import { sentParams } from './params.js'

/** Storage objects in the body of a request: one object, a list of them, or {"files": [...]}. */
export interface SentFiles {
  objects: unknown[]
  isList: boolean
}

/** Returns the storage objects of a request; undefined if it names a published asset, or nothing. Throws ValidationError. */
export function sentFiles({ body, query, headers }: FastifyRequest): SentFiles | undefined {
  if (Array.isArray(body)) return checkedList(body)
  const sent = sentParams({ body, query, headers } as FastifyRequest)
  if (sent.did !== undefined) return undefined
  if (sent.files !== undefined) return checkedList(sent.files)
  return sent.type === undefined ? undefined : { objects: [sent], isList: false }
}

/**
 * Binds storage objects to their kinds. A contract without chain is on the chain of the request, or the only one served.
 * Throws ValidationError, whose fields name the place in a list.
 */
export function boundFiles(
  { objects, isList }: SentFiles,
  chainId: number | undefined,
  { storages, chains }: { storages: StorageRegistry; chains: Chains },
): StoredFile[] {
  const only = chains.size === 1 ? [...chains.keys()][0] : undefined
  return objects.map((object, index) => {
    try {
      return storages.file(storages.typeOf(object) === 'smartcontract' ? onChain(object, chainId ?? only) : object)
    } catch (error) {
      if (!isList || !(error instanceof ValidationError)) throw error
      const named = Object.entries(error.fields).map(([field, reasons]) => [`files[${index}].${field}`, reasons])
      throw new ValidationError(Object.fromEntries(named))
    }
  })
}

function onChain(object: unknown, chainId: number | undefined): object {
  const contract = object as { chainId?: unknown }
  // of a single object the parameters are part, and those of a query are text
  if (typeof contract.chainId === 'number') return contract
  if (chainId === undefined)
    throw ValidationError.of('chainId', 'The chainId field is required, as this provider serves several chains.')
  return { ...contract, chainId }
}

function checkedList(list: unknown): SentFiles {
  const { listed: most } = PROVIDER_LIMITS.fileinfo
  if (!Array.isArray(list) || list.length === 0 || list.length > most)
    throw ValidationError.of('files', `The files field must be a list of 1 to ${most} storage objects.`)
  return { objects: list, isList: true }
}
