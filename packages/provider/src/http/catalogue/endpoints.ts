import type { Endpoint } from '../endpoints/endpoint.js'
import { assetPageEndpoint } from './asset-page.js'
import { cataloguePageEndpoint, dcatCatalogueEndpoint } from './catalogue.js'
import { assetDescriptionEndpoint } from './description.js'
import { robotsEndpoint, sitemapEndpoint, sitemapIndexEndpoint } from './sitemaps.js'

/** The public catalogue. */
export const CATALOGUE_ENDPOINTS: readonly Endpoint[] = [
  assetPageEndpoint,
  assetDescriptionEndpoint,
  cataloguePageEndpoint,
  dcatCatalogueEndpoint,
  sitemapIndexEndpoint,
  sitemapEndpoint,
  robotsEndpoint,
]
