import { describeAnswer, describeFailedExchange, type Logger, type Outbound } from '@tidegate/common'
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
export function accessControl(url: string | undefined, outbound: Outbound, log?: Logger): AccessControl {
  if (url === undefined) return async () => undefined
  const unavailable = (reason: string) => {
    log?.warn({ host: new URL(url).host, reason }, 'access control server failed')
    return new AccessError('RBAC_UNAVAILABLE', 'The access control server of this provider cannot be asked now.')
  }
  return async ({ event, provider, consumer, service }) => {
    const response = await outbound
      .post(url, {
        eventType: event,
        component: 'provider',
        providerAddress: provider,
        ...(consumer ? { credentials: { type: 'address', value: consumer } } : {}),
        ...(service ? { dids: [service] } : {}),
      })
      .catch((error: unknown) => {
        throw unavailable(describeFailedExchange(error))
      })
    // a page with status 200 is no decision
    const isDecision = response.json !== undefined || response.text === ''
    if (response.status !== 200 || !isDecision) throw unavailable(describeAnswer(response, 'JSON'))
    if (response.json !== true)
      throw new AccessError('RBAC_DENIED', 'The access control server of this provider does not allow this.')
  }
}
