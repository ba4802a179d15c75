import * as parse from '../parsers/index.js'
import { setting } from '../setting.js'

/** What the service tells search engines, catalogues and agents. */
export const CATALOGUE = {
  CATALOGUE: setting({
    parse: parse.oneOf('off', 'public'),
    default: 'off' as const,
    doc: 'Whether search engines and data catalogues find the assets: public serves a page for each asset at /asset/{did}, a catalogue, pages of sellers, Atom feeds, a sitemap, and descriptions in schema.org, Croissant and DCAT. What a search hides is told nowhere. Needs PUBLIC_URL, except on loopback.',
  }),
  CATALOGUE_OWN: setting({
    parse: parse.boolean,
    default: false,
    doc: 'Whether the catalogue tells only of assets with a service whose serviceEndpoint is PUBLIC_URL. By default it tells of all assets that a search finds.',
  }),
} as const
