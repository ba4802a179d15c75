import type { Endpoint } from '../endpoints/endpoint.js'
import { assetPageEndpoint } from './asset-page.js'
import { cataloguePageEndpoint, dcatCatalogueEndpoint } from './catalogue.js'
import { assetDescriptionEndpoint } from './description.js'
import { assetFeedEndpoint, catalogueFeedEndpoint, sellerFeedEndpoint } from './feeds.js'
import { sellerPageEndpoint } from './seller-page.js'
import { robotsEndpoint, sitemapEndpoint, sitemapIndexEndpoint } from './sitemaps.js'

/** The public catalogue. */
export const CATALOGUE_ENDPOINTS: readonly Endpoint[] = [
  assetPageEndpoint,
  assetDescriptionEndpoint,
  cataloguePageEndpoint,
  dcatCatalogueEndpoint,
  sellerPageEndpoint,
  catalogueFeedEndpoint,
  sellerFeedEndpoint,
  assetFeedEndpoint,
  sitemapIndexEndpoint,
  sitemapEndpoint,
  robotsEndpoint,
]
