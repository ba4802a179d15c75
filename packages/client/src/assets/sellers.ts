import { type VerifiedPublishers, verifiedIn } from '@tidegate/protocol/asset'
import { fieldsOf } from '@tidegate/protocol/values'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { AssetOptions } from './asset.js'

/** Returns the names that the operator of the provider has verified; none if the provider tells none. */
export async function verifiedPublishers({ api }: Context, { signal }: AssetOptions = {}): Promise<VerifiedPublishers> {
  try {
    return verifiedIn(fieldsOf(await api.get('/', {}, signal)).verifiedPublishers)
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof TidegateError) return new Map()
    throw error
  }
}
