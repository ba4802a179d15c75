import type { Site } from '@tidegate/discovery'
import { RequestError, StartError } from '@tidegate/protocol'
import type { FastifyRequest } from 'fastify'
import { operatorOf } from '../../config/operator.js'
import type { Settings } from '../../config/schema.js'
import { LOOPBACK, ownUrl } from '../endpoints/public-url.js'

/** Throws StartError if the catalogue is public and the service does not know under which URL. */
export function assertCatalogueUrl({ CATALOGUE, CATALOGUE_OWN, PUBLIC_URL, HOST }: Settings): void {
  if (CATALOGUE_OWN && PUBLIC_URL === undefined)
    throw new StartError(['CATALOGUE_OWN: needs PUBLIC_URL, which the services of own assets name.'])
  if (CATALOGUE === 'public' && PUBLIC_URL === undefined && !LOOPBACK.has(HOST))
    throw new StartError(['CATALOGUE: needs PUBLIC_URL, which its links begin with.'])
}

/** Returns the service as its catalogue names it. Throws RequestError if the catalogue is off, or the host is not its own. */
export function siteOf(request: FastifyRequest, settings: Settings): Site {
  const base = settings.CATALOGUE === 'public' ? ownUrl(request, settings) : undefined
  if (base === undefined) throw new RequestError('ROUTE_NOT_FOUND', 'The catalogue of this service is not public.')
  const operator = operatorOf(settings)
  return {
    base,
    name: operator?.name ?? 'Tidegate',
    ...(operator?.name ? { operator: operator.name } : {}),
    ...(operator?.url ? { url: operator.url } : {}),
    ...(settings.CONSOLE ? { console: `${base}/console/` } : {}),
  }
}
