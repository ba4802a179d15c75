import { chosenService, readServed, type Served, type ServedService } from '@tidegate/protocol/asset'
import { isDid } from '@tidegate/protocol/did'
import type { Json } from '@tidegate/protocol/values'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'

/** Fetches a document from the provider's index. Throws TidegateError `ASSET_NOT_FOUND`, `TAKEN_DOWN`, `WRONG_DOCUMENT`, `BAD_DID`. */
export async function servedDocument(context: Context, did: string): Promise<Served> {
  if (!isDid(did)) throw new TidegateError('BAD_DID', 'A DID is did:op: and 64 hexadecimal digits.')
  const document = await context.api.get<Json>(`/api/aquarius/assets/ddo/${did}`)
  try {
    return readServed(document, did)
  } catch (error) {
    throw new TidegateError('WRONG_DOCUMENT', (error as Error).message)
  }
}

/**
 * Returns the named service, or the first of type access. Throws TidegateError `UNKNOWN_SERVICE`, and `ASSET_NOT_CONSUMABLE`
 * if the asset's state hides its services.
 */
export function serviceIn({ did, state, services }: Served, id: string | undefined): ServedService {
  if (state !== 'active' && state !== 'unlisted')
    throw new TidegateError('ASSET_NOT_CONSUMABLE', `The asset ${did} is ${state}: it is not for sale.`)
  const chosen = chosenService(services, id)
  if (chosen) return chosen
  throw new TidegateError(
    'UNKNOWN_SERVICE',
    `The asset ${did} has no ${id === undefined ? 'service' : `service ${id}`}.`,
  )
}
