import { LinkError, ValidationError } from '@tidegate/protocol'
import { SECONDS } from '@tidegate/protocol/constants'
import type { Hex } from 'viem'
import type { ProvenConsumer } from '../auth/authenticate.js'
import type { Grant } from '../auth/link-grant.js'
import { secondsNow } from '../auth/links.js'
import type { Settings } from '../config/schema.js'
import { PROVIDER_LIMITS } from '../limits.js'
import type { Admitted, WantedFile } from './admission.js'
import type { OpenService } from './service.js'

/** The objects of a request that its link holds. */
export type LinkedObjects = Pick<WantedFile, 'userdata' | 'policyServer'>

/** Throws ValidationError if one of them is too long for the URL of a link. */
export function assertFitsLink(sent: LinkedObjects): void {
  for (const field of ['userdata', 'policyServer'] as const) {
    const { [field]: most } = PROVIDER_LIMITS.links
    if (sent[field] !== undefined && JSON.stringify(sent[field]).length > most)
      throw ValidationError.of(field, `The ${field} field must not be longer than ${most} characters in a link.`)
  }
}

const GONE = 'The publisher has replaced or removed what the download link is for.'

/** The longest lifetime by default, in seconds: a week. */
const DEFAULT_MAX_LIFETIME = 7 * SECONDS.day

type LinkSettings = Pick<Settings, 'DOWNLOAD_LINK_LIFETIME' | 'DOWNLOAD_LINK_LIFETIME_MAX'>

/** Returns the longest lifetime of a download link, in seconds. */
export function maxLinkLifetime({ DOWNLOAD_LINK_LIFETIME, DOWNLOAD_LINK_LIFETIME_MAX }: LinkSettings): number {
  return DOWNLOAD_LINK_LIFETIME_MAX ?? Math.max(DOWNLOAD_LINK_LIFETIME, DEFAULT_MAX_LIFETIME)
}

/** Returns the lifetime of a download link in seconds, as requested or by default. Throws ValidationError if it is too long. */
export function linkLifetime(requested: number | undefined, settings: LinkSettings): number {
  if (requested === undefined) return settings.DOWNLOAD_LINK_LIFETIME
  const most = maxLinkLifetime(settings)
  if (requested > 0 && requested <= most) return requested
  throw ValidationError.of('lifetime', `The lifetime field must be from 1 to ${most} seconds.`)
}

/**
 * Returns the grant of a download link for an admitted file, or for an archive of all. It expires with the caller's auth token or
 * the order, if that is earlier. `lifetime` in seconds.
 */
export async function grantOf(
  { opened, consumer, fileIndex, order }: Admitted,
  { orderTx, lifetime, ...sent }: { orderTx: Hex; lifetime: number } & LinkedObjects,
): Promise<Grant> {
  const { asset, service } = opened
  const { token } = consumer
  const issuedAt = secondsNow()
  const expiresAt = Math.min(issuedAt + lifetime, order.endsAt)
  return {
    consumer: consumer.address,
    chainId: asset.chain.chainId,
    isWallet: consumer.chainId !== undefined,
    did: asset.ddo.id,
    serviceId: service.id,
    fileIndex,
    identity: (await opened.identities()).of(fileIndex),
    orderTx,
    issuedAt,
    expiresAt: token ? Math.min(expiresAt, Math.floor(token.expiresAt)) : expiresAt,
    ...(token ? { jti: token.jti } : {}),
    ...(sent.userdata === undefined ? {} : { userdata: JSON.stringify(sent.userdata) }),
    ...(sent.policyServer === undefined ? {} : { policyServer: JSON.stringify(sent.policyServer) }),
  }
}

/**
 * Returns the consumer and the file of a grant. The consumer was authenticated when the link was created, so the link
 * consumes no nonce. The file may have another index in the current version of the asset. Throws LinkError if it has none, if all files
 * are not those of then, or if the asset is on another chain.
 */
export async function claimOf(
  {
    consumer: address,
    chainId,
    isWallet,
    fileIndex: was,
    identity,
    orderTx: transferTxId,
    userdata,
    policyServer,
  }: Grant,
  { asset, identities: identitiesOf }: OpenService,
): Promise<{ consumer: ProvenConsumer; wanted: WantedFile }> {
  if (asset.chain.chainId !== chainId) throw new LinkError('LINK_INVALID', 'The download link is for another chain.')
  const identities = await identitiesOf()
  const fileIndex = was === undefined ? undefined : identities.find(identity, was)
  if (was === undefined ? !identities.is(identity, undefined) : fileIndex === undefined)
    throw new LinkError('LINK_FILE_GONE', `${GONE} Create a link to what the asset has now.`)
  return {
    consumer: { address, ...(isWallet ? { chainId } : {}) },
    wanted: { fileIndex, transferTxId, userdata: parsed(userdata), policyServer: parsed(policyServer) },
  }
}

const parsed = (json: string | undefined) => (json === undefined ? undefined : JSON.parse(json))
