import { LinkError, ValidationError } from '@tidegate/protocol'
import type { UserData } from '@tidegate/storage'
import type { Hex } from 'viem'
import type { AuthenticatedConsumer } from '../auth/authenticate.js'
import type { Grant } from '../auth/link-grant.js'
import { secondsNow } from '../auth/links.js'
import { PROVIDER_LIMITS } from '../limits.js'
import type { Admitted, WantedFile } from './admission.js'
import type { OpenService } from './service.js'

/** Throws ValidationError if userdata is too long for the URL of a link. */
export function assertFitsLink(userdata: UserData | undefined): void {
  const { userdata: most } = PROVIDER_LIMITS.links
  if (userdata !== undefined && JSON.stringify(userdata).length > most)
    throw ValidationError.of('userdata', `The userdata field must not be longer than ${most} characters in a link.`)
}

/**
 * Returns the grant of a download link for an admitted file, or for an archive of all. It expires with the caller's auth token or
 * the order, if that is earlier. `lifetime` in seconds.
 */
export function grantOf(
  { opened, consumer, fileIndex, order }: Admitted,
  { orderTx, userdata, lifetime }: { orderTx: Hex; userdata: UserData | undefined; lifetime: number },
): Grant {
  const { asset, service } = opened
  const { token } = consumer
  const expiresAt = Math.min(secondsNow() + lifetime, order.endsAt)
  return {
    consumer: consumer.address,
    chainId: asset.chain.chainId,
    isWallet: consumer.chainId !== undefined,
    did: asset.ddo.id,
    serviceId: service.id,
    fileIndex,
    orderTx,
    expiresAt: token ? Math.min(expiresAt, Math.floor(token.expiresAt)) : expiresAt,
    ...(token ? { jti: token.jti } : {}),
    ...(userdata === undefined ? {} : { userdata: JSON.stringify(userdata) }),
  }
}

/**
 * Returns the consumer and the file of a grant. The consumer was authenticated when the link was created, so the link
 * consumes no nonce. Throws LinkError if the asset is on another chain.
 */
export function claimOf(
  { consumer: address, chainId, isWallet, fileIndex, orderTx: transferTxId, userdata }: Grant,
  { asset }: OpenService,
): { consumer: AuthenticatedConsumer; wanted: WantedFile } {
  if (asset.chain.chainId !== chainId) throw new LinkError('LINK_INVALID', 'The download link is for another chain.')
  return {
    consumer: { address, ...(isWallet ? { chainId } : {}), consumeNonce: async () => undefined },
    wanted: { fileIndex, transferTxId, userdata: userdata === undefined ? undefined : JSON.parse(userdata) },
  }
}
