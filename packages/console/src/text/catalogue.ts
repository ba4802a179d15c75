import { shownBytes } from '../format/bytes.js'
import { plural } from '../format/plural.js'
import { CONSOLE_LIMITS } from '../limits.js'

const SMALL = shownBytes(CONSOLE_LIMITS.catalogue.sizes.small)
const LARGE = shownBytes(CONSOLE_LIMITS.catalogue.sizes.large)

export const catalogue = {
  title: 'Catalogue',
  heading: 'Data, bought straight from its publisher',
  lead: 'Search what is published here. Pay by datatoken, download at once, and keep what you bought.',
  searchLabel: 'Search the catalogue',
  placeholder: 'Name, topic, author or DID',
  clear: 'Clear the search',
  filters: 'Filters',
  showFilters: 'Filters and sorting',
  type: 'Type',
  format: 'Format',
  license: 'Licence',
  size: 'Size of all files',
  all: { type: 'All types', format: 'All formats', license: 'All licences' },
  anySize: 'Any size',
  sizes: { small: `Up to ${SMALL}`, middle: `${SMALL} to ${LARGE}`, large: `From ${LARGE}` },
  counted: (type: string, count: number) => (count > 0 ? `${type} (${count})` : type),
  tags: 'Tags',
  price: 'Price',
  any: 'Any',
  free: 'Free',
  paidIn: 'Paid in',
  anyToken: 'Any token',
  most: 'At most',
  paid: 'Paid',
  sort: 'Sort by',
  sorts: {
    relevance: 'Best match',
    newest: 'Newest',
    oldest: 'Oldest',
    name: 'Name',
    orders: 'Most ordered',
    price: 'Price',
  },
  reset: 'Reset filters',
  results: (total: number, atLeast: boolean) =>
    `${atLeast ? 'More than ' : ''}${plural(total, { one: 'asset', other: 'assets' })}`,
  searching: 'Searching…',
  empty: 'Nothing matches',
  emptyHint: 'Try fewer words, or remove a filter.',
  nothing: 'Nothing is published here yet',
  nothingHint: 'Be the first: drop a file, set a price, and share the link.',
  failed: 'The search did not work',
  orders: (count: number) => plural(count, { one: 'order', other: 'orders' }),
  pages: 'Pages of results',
  previous: 'Previous',
  next: 'Next',
  page: (page: number, last: number | undefined) => (last === undefined ? `Page ${page}` : `Page ${page} of ${last}`),
  indexPrice: 'The price in the index, without fees. The asset’s page shows the total.',
} as const
