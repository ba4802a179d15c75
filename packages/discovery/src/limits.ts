/** The limits of this package, each with its unit and reason. Settings are in the service. */
export const DISCOVERY_LIMITS = {
  pages: {
    /** Characters of a description that Google's data set search takes, according to its page on structured data of datasets. */
    description: { least: 50, most: 5_000 },
    /** URLs of one sitemap: as many as sitemaps.org allows. */
    sitemap: 50_000,
  },
  feeds: {
    /** Characters of an entry's text: entries are kept in memory. */
    text: 1_000,
    /** Characters of a tag. */
    tag: 100,
    /** Tags of an entry. */
    tags: 20,
    /** Files that the feed of an asset names. */
    files: 50,
    /** Prices of an entry. */
    prices: 5,
  },
} as const
