import type { Endpoint } from '../endpoints/endpoint.js'
import { described, text } from '../endpoints/params.js'
import { SEARCH_ERRORS } from '../routes/searcher.js'

/** Parts that the endpoints of the public catalogue share. */
export const PUBLIC: Pick<Endpoint, 'method' | 'anonymous' | 'isOffered'> = {
  method: 'GET',
  anonymous: true,
  isOffered: ({ settings }) => settings.CATALOGUE === 'public',
}

/** Ends the descriptions of these endpoints. */
export const ON = 'With CATALOGUE=public. What a search hides is not told.'

export const ERRORS = ['ROUTE_NOT_FOUND', ...SEARCH_ERRORS] as const

export const DID = described(text, 'DID of the asset.', 'did:op:0000')

export interface DidRoute {
  Params: { did: string }
}
