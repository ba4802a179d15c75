import { CATALOG_LIMITS, isOfPublishers } from '@tidegate/catalog'
import * as z from 'zod'
import { json } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { address, described, readParams } from '../endpoints/params.js'
import { ASSET } from '../endpoints/schemas/asset.js'
import { PREFIX } from './assets.js'

const { hidden: MOST } = CATALOG_LIMITS.search
const params = { owner: described(address, 'Owner of the data NFTs at their creation.') }

/** Lists the hidden assets of an owner, which searches do not find. Tells only what is public on the chain. */
export const hiddenAssets: Endpoint = {
  names: [],
  method: 'GET',
  path: `${PREFIX}/hidden`,
  nonce: 'none',
  anonymous: true,
  doc: {
    operationId: 'listHiddenAssets',
    summary: 'Hidden assets of an owner',
    description: `The newest ${MOST} assets of an owner that are neither active nor unlisted, as their documents are served: with the data NFT, its name and state, without metadata and services. The owner has sent their newest documents.`,
    params,
    responses: { 200: json('The documents.', { type: 'array', items: ASSET }) },
    errors: ['CHAIN_UNAVAILABLE'],
  },
  register(app, { access, catalog }) {
    const schema = z.object(params)
    app.get(this.path, async (request) => {
      const { owner } = readParams(schema, request)
      const found = await catalog.hidden.hiddenOf(owner.address, MOST)
      const metadata = { from: owner.address }
      const served = found.filter(({ chainId }) => isOfPublishers({ chainId, metadata }, catalog.publishers))
      return (await access.withheld.shown(served)).map(({ chainId, did, state, nft }) => ({
        ...{ id: did, chainId, nftAddress: nft.address },
        nft: { ...nft, state },
      }))
    })
  },
}
