import { StorageError } from '../../../packages/protocol/src/errors.js'
import { Egress, type EgressResponse } from '../../../packages/storage/src/egress/egress.js'
import type { EgressRequest } from '../../../packages/storage/src/egress/egress-request.js'
import { ContentDecoder } from '../../../packages/storage/src/egress/responses/content-codings.js'

/**
 * Returns an egress without a network, which records requests, responds with `respond`, and decodes like the real one.
 */
export function fakeEgress(respond: (request: EgressRequest) => EgressResponse) {
  const requests: EgressRequest[] = []
  const network: Pick<Egress, 'request' | 'pin'> = {
    async request(request) {
      requests.push(request)
      return respond(request)
    },
    async pin() {
      throw new StorageError('STORAGE_REFUSED', 'The storage of this file cannot be reached.')
    },
  }
  const egress: Egress = Object.assign(Object.create(Egress.prototype), network, { decoder: new ContentDecoder() })
  return { requests, egress }
}
