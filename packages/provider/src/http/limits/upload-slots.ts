import { StateError } from '@tidegate/protocol'
import type { Settings } from '../../config/schema.js'
import type { Lifetime } from '../lifetime.js'
import { ConcurrencyLimiter } from './concurrency.js'
import { tooManyInFlight } from './retry-later.js'

/**
 * Limits the uploads in flight at this instance, in total and by publisher. Each holds a connection and an open file as
 * long as its client likes: without a limit, one publisher could hold all.
 */
export class UploadSlots {
  private readonly inFlight: ConcurrencyLimiter

  constructor(settings: Pick<Settings, 'HOSTING_MAX_UPLOADS' | 'HOSTING_MAX_UPLOADS_PER_PUBLISHER'>) {
    const { HOSTING_MAX_UPLOADS, HOSTING_MAX_UPLOADS_PER_PUBLISHER } = settings
    this.inFlight = new ConcurrencyLimiter(HOSTING_MAX_UPLOADS, HOSTING_MAX_UPLOADS_PER_PUBLISHER)
  }

  /**
   * Takes a slot until the request ends. Call it before the nonce is consumed, so that a refused request can be repeated
   * with the same signature. Throws LimitError, StateError.
   */
  take(owner: string, lifetime: Lifetime): void {
    const refused = this.inFlight.enter(owner, lifetime)
    if (refused === 'own')
      throw tooManyInFlight('This publisher has too many uploads in flight. Try again when one has ended.')
    if (refused) throw new StateError('BUSY', 'The provider has reached its limit of uploads in flight.')
  }
}
