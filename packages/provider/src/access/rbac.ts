import type { Outbound } from '@tidegate/common'
import { AccessError } from '@tidegate/protocol'
import type { Address } from 'viem'

/** The action to authorize. Access control servers expect these names. */
export type RbacEvent = 'encryptUrl' | 'initialize' | 'access'

/** An authorization request. */
export interface RbacRequest {
  event: RbacEvent
  provider: Address
  /** Undefined for an unknown consumer. */
  consumer?: Address
  service?: { did: string; serviceId: string }
}

/** Authorizes a request. Throws AccessError if it is denied, or if the server cannot be reached. */
export type AccessControl = (request: RbacRequest) => Promise<void>

/** Returns the access control of a server: only the response `true` allows a request. Without a URL every request is allowed. */
export function accessControl(url: string | undefined, outbound: Outbound): AccessControl {
  if (url === undefined) return async () => undefined
  return async ({ event, provider, consumer, service }) => {
    const response = await outbound
      .post(url, {
        eventType: event,
        component: 'provider',
        providerAddress: provider,
        ...(consumer ? { credentials: { type: 'address', value: consumer } } : {}),
        ...(service ? { dids: [service] } : {}),
      })
      .catch(() => undefined)
    if (response?.status !== 200)
      throw new AccessError('RBAC_UNAVAILABLE', 'The access control server of this provider cannot be asked now.')
    if (response.json !== true)
      throw new AccessError('RBAC_DENIED', 'The access control server of this provider does not allow this.')
  }
}
