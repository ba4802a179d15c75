import { StorageError } from '../../src/errors.js'
import type { Egress, EgressRequest, EgressResponse } from '../../src/storage/egress.js'

/** A way out that leads nowhere: each request is noted, and answered here. */
export function fakeEgress(answer: (request: EgressRequest) => EgressResponse) {
  const asked: EgressRequest[] = []
  const egress = {
    async request(request: EgressRequest) {
      asked.push(request)
      return answer(request)
    },
    async pinned() {
      throw new StorageError('STORAGE_REFUSED', 'The storage of this file cannot be reached.')
    },
  }
  return { asked, egress: egress as unknown as Egress }
}
