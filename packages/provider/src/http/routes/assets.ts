import { AssetError, assetDocument, opened, publishedMetadata } from '@tidegate/protocol'
import { INFLATED, TOO_LARGE } from '@tidegate/protocol/documents'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { DECRYPTER_PARAMS, decrypterCheck } from '../endpoints/decrypters.js'
import { json } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { type NonceUse, withNonce } from '../endpoints/nonce-use.js'
import { described, text } from '../endpoints/params.js'
import { ASSET, METADATA } from '../endpoints/schemas/asset.js'
import type { Services } from '../services.js'

/** Prefix of the index routes, as in metadata caches. */
export const PREFIX = '/api/aquarius/assets'

interface DidRoute {
  Params: { did: string }
}

/** Parts that both routes of one asset share. */
const READING: Pick<Endpoint['doc'], 'path' | 'params' | 'token' | 'errors'> = {
  path: { did: described(text, 'DID of the asset.', 'did:op:0000') },
  params: DECRYPTER_PARAMS,
  token: true,
  errors: ['ASSET_NOT_FOUND', 'TAKEN_DOWN', 'DECRYPTER_DENIED', 'CHAIN_UNAVAILABLE', 'SANDBOX_UNAVAILABLE'],
}

/**
 * Creates the look-up of an asset for its caller. It returns undefined if there is no asset. It throws AccessError, or
 * StaleIndexError if the index is stale.
 */
function readableAsset(services: Pick<Services, 'settings' | 'chains' | 'auth' | 'access' | 'catalog'>) {
  const { indexed } = services.catalog
  const { withheld } = services.access
  const checkReader = decrypterCheck(services)
  return async (request: FastifyRequest<DidRoute>, reply: FastifyReply, nonces: NonceUse) => {
    const { did } = request.params
    await withheld.assertShown(did)
    const found = await indexed.asset(did)
    if (found) await checkReader(request, reply, found, nonces)
    else indexed.assertAbsent(did, { anyCurrent: true })
    return found
  }
}

/** Serves the document of an asset from the index, in the format of metadata caches. */
export const assetDdo: Endpoint<'first'> = {
  names: [],
  method: 'GET',
  path: `${PREFIX}/ddo/:did`,
  nonce: 'first',
  doc: {
    operationId: 'getAsset',
    summary: 'Asset document',
    description:
      'The DDO of an asset from the on-chain index, with nft, datatokens, event, stats and purgatory filled in. Where the operator has named who may decrypt (AUTHORIZED_DECRYPTERS, AUTHORIZED_DECRYPTERS_LIST), a document that is encrypted on the chain is for those alone: signed over decrypterAddress + nonce + "decryptDDO".',
    ...READING,
    responses: { 200: json('The document.', ASSET) },
  },
  register(app, services) {
    const { onChain } = services.catalog
    const { purgatory } = services.access
    const readable = readableAsset(services)
    const handler = withNonce(this.nonce, async (request: FastifyRequest<DidRoute>, reply, nonces) => {
      const found = await readable(request, reply, nonces)
      const asset = found && opened(found)
      if (!asset) throw notFound(request.params.did, found?.metadata.reason)
      return assetDocument(asset, await onChain.of(asset), purgatory.reasonFor(found.metadata.did))
    })
    app.get<DidRoute>(this.path, handler)
  },
}

/**
 * ocean.py waits for exactly this text before it publishes. `reason` shows the owner why the document is not served, for
 * example its size.
 */
function notFound(did: string, reason: string | null = null): AssetError {
  const why = reason === TOO_LARGE || reason === INFLATED ? ` Its document is not usable: ${reason}.` : ''
  return new AssetError('ASSET_NOT_FOUND', `Asset DID ${did} not found in Elasticsearch.${why}`)
}

/** Serves the `metadata` object of an asset. Some clients request it alone. */
export const assetMetadata: Endpoint<'first'> = {
  names: [],
  method: 'GET',
  path: `${PREFIX}/metadata/:did`,
  nonce: 'first',
  doc: {
    operationId: 'getAssetMetadata',
    summary: 'Metadata of an asset',
    description:
      'The metadata object of an asset document, under the same conditions as the document itself. Assets whose state hides it have none.',
    ...READING,
    responses: { 200: json('The metadata.', METADATA) },
  },
  register(app, services) {
    const readable = readableAsset(services)
    const handler = withNonce(this.nonce, async (request: FastifyRequest<DidRoute>, reply, nonces) => {
      const found = await readable(request, reply, nonces)
      const asset = found && opened(found)
      const metadata = asset && publishedMetadata(asset)
      if (!metadata) throw metadataNotFound(request.params.did)
      return metadata
    })
    app.get<DidRoute>(this.path, handler)
  },
}

function metadataNotFound(did: string): AssetError {
  return new AssetError('ASSET_NOT_FOUND', `Error encountered while retrieving metadata: no asset ${did} is known.`)
}
