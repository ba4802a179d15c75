import type { Address, Hex } from 'viem'
import { addressOf } from '../auth/signing.js'
import { findOrder } from '../buying/holding.js'
import { servedDocument, serviceIn } from '../chain/document.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import { holderOf } from './proof.js'

/** Service, file and order of a download, as the caller names them. */
export interface Named {
  service?: string | undefined
  order?: Hex | undefined
  /** 0 by default. */
  file?: number | undefined
  /** Whether all files are wanted, as an archive. */
  archive?: boolean | undefined
  userdata?: Record<string, unknown> | undefined
}

/** The resolved service of an asset, with the order for it. */
export interface Ordered {
  service: string
  order: Hex
}

/** Returns the provider's parameters for a file, or for an archive of all. Throws TidegateError `BAD_OPTION`. */
export function filesOf({ file, archive }: Named): { fileIndex: number } | { archive: 'zip' } {
  if (archive && file !== undefined) throw new TidegateError('BAD_OPTION', 'file and archive contradict each other.')
  if (file !== undefined && (!Number.isSafeInteger(file) || file < 0))
    throw new TidegateError('BAD_OPTION', 'file must be an index from 0.')
  return archive ? { archive: 'zip' } : { fileIndex: file ?? 0 }
}

/**
 * Completes the options of a download: the first service of type access, and a valid order for the file. Reads the chain
 * only if no order is given. Throws TidegateError `NO_ORDER` if there is none.
 */
export async function orderedOf(context: Context, did: string, named: Named): Promise<Ordered> {
  const { service, order, archive } = named
  const file = archive ? undefined : (named.file ?? 0)
  if (service !== undefined && order !== undefined) return { service, order }
  const served = await servedDocument(context, did)
  const chosen = serviceIn(served, service)
  if (order !== undefined) return { service: chosen.id, order }
  const userdata = named.userdata && JSON.stringify(named.userdata)
  const request = { did, service: chosen.id, consumer: await consumerOf(context), file, userdata }
  const standing = await findOrder(context, served, chosen, request)
  if (standing.order !== undefined) return { service: chosen.id, order: standing.order }
  throw new TidegateError('NO_ORDER', 'There is no valid order. Buy the asset first.')
}

async function consumerOf(context: Context): Promise<Address> {
  return context.token === undefined ? addressOf(context) : holderOf(context.token)
}
