import { escapeHtml } from './html.js'
import { DISCOVERY_LIMITS } from './limits.js'
import { pageOf, type Site } from './site.js'

export const { sitemap: SITEMAP_URLS } = DISCOVERY_LIMITS.pages

const HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
const NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'

/** Writes the index of the sitemaps of so many assets. */
export function sitemapIndex(site: Site, assets: number): string {
  const maps = Array.from({ length: Math.max(1, Math.ceil(assets / SITEMAP_URLS)) }, (_, at) => {
    return `<sitemap><loc>${escapeHtml(`${site.base}/sitemap-${at + 1}.xml`)}</loc></sitemap>\n`
  })
  return `${HEAD}<sitemapindex ${NAMESPACE}>\n${maps.join('')}</sitemapindex>\n`
}

/** Writes a sitemap of assets, group by group. */
export async function* sitemap(site: Site, groups: AsyncIterable<readonly string[]>): AsyncGenerator<string> {
  yield `${HEAD}<urlset ${NAMESPACE}>\n`
  for await (const dids of groups)
    yield dids.map((did) => `<url><loc>${escapeHtml(pageOf(site, did))}</loc></url>\n`).join('')
  yield '</urlset>\n'
}

/** Writes the rules for crawlers: they may read the catalogue, and nothing else of the API. */
export function robots(site: Site): string {
  return `User-agent: *\nAllow: /api/catalogue/\nDisallow: /api/\nDisallow: /mcp\nSitemap: ${site.base}/sitemap.xml\n`
}
