/** The path numbers (`pathNumber`) of fields with an index of their own: of `PRICES.first`, and of the two `TITLES` of search. */
export const INDEXED_PATHS = { price: 231_641_109_928_259, names: [278_681_718_115_206, 152_580_924_086_190] } as const

/** Parts of a search row's id: hashes of DIDs in one second, and the last second. The id stays below 2^53. */
export const DOCUMENT_ID = { hashes: 2 ** 18, lastSecond: 2 ** 32 - 1 } as const
