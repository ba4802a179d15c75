import type { Wallet } from 'ethers'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import { type Published, publishDocument } from './publish.js'
import type { World } from './world.js'

/** An entry of credentials as the Enterprise market publishes it. */
export const SSI = {
  type: 'SSIpolicy',
  values: [
    {
      request_credentials: [{ type: 'Degree', format: 'jwt_vc_json', policies: ['signature'] }],
      vc_policies: ['signature', 'not-before'],
      vp_policies: [],
    },
  ],
}

/** Publishes an asset anew in version 5, with credentials of the asset and of its service. Returns its DID. */
export async function publishedAnew(
  world: World,
  publisher: Wallet,
  { ddo, nft }: Published,
  credentials: unknown,
  ofService?: unknown,
): Promise<string> {
  const { chainId } = world.network
  const { nftAddress, services, metadata } = ddo as unknown as {
    nftAddress: string
    services: object[]
    metadata: object
  }
  const own = services.map((service) => ({
    ...service,
    ...(ofService === undefined ? {} : { credentials: ofService }),
  }))
  const document = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: didOf(nft as `0x${string}`, chainId, 5),
    version: '5.0.0',
    credentialSubject: { chainId, nftAddress, services: own, metadata, credentials },
  }
  await world.indexed(await publishDocument({ network: world.network, publisher }, nft, document as never))
  return document.id
}
