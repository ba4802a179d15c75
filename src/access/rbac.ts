import type { Address } from 'viem'
import { AccessError } from '../errors.js'
import type { Outbound } from '../outbound/outbound.js'

/** What is about to happen, in the words that access control servers of this field know. */
export type RbacEvent = 'encryptUrl' | 'initialize' | 'access'

/** Who wants to do what. */
export interface RbacQuestion {
  event: RbacEvent
  provider: Address
  /** Where it is known. */
  consumer?: Address
  service?: { did: string; serviceId: string }
}

/** Asks whether something is allowed. Throws AccessError where it is not, or where nobody can say. */
export type AccessControl = (question: RbacQuestion) => Promise<void>

/** Without a server everything is allowed; with one, only what it answers `true` to. */
export function accessControl(url: string | undefined, outbound: Outbound): AccessControl {
  if (url === undefined) return async () => undefined
  return async ({ event, provider, consumer, service }) => {
    const answer = await outbound
      .post(url, {
        eventType: event,
        component: 'provider',
        providerAddress: provider,
        ...(consumer ? { credentials: { type: 'address', value: consumer } } : {}),
        ...(service ? { dids: [service] } : {}),
      })
      .catch(() => undefined)
    if (answer?.status !== 200)
      throw new AccessError('RBAC_UNAVAILABLE', 'The access control server of this provider cannot be asked now.')
    if (answer.json !== true)
      throw new AccessError('RBAC_DENIED', 'The access control server of this provider does not allow this.')
  }
}
