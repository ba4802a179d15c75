/** The limits of this package, each with its unit and reason. */
export const CONSOLE_LIMITS = {
  texts: {
    /** Characters of a folded description. */
    folded: 1_200,
    /** Characters and nesting of Markdown. Longer or more deeply nested texts are shown without markup. */
    markdown: { characters: 5_000, depth: 12 },
    /** Characters of a text in a frame: the browser lays them out at once. */
    sheet: 100_000,
    /** Milliseconds for which a button tells that a text was copied. */
    copied: 2_000,
  },
  fields: {
    /** Characters of a description: a long article. */
    description: 50_000,
    /** Days for which an order is valid: a hundred years. */
    days: 36_500,
    /** Bytes of a sample: the library's limit. */
    sample: 5_242_880,
    /** Characters of a location or descriptor: real ones are far shorter. */
    location: 100_000,
    /** Random numbers in the id of a draft, beside its time: two drafts begin in different milliseconds. */
    draftIds: 1_000_000_000,
    /** Bytes of the beginning and of the end of a file that identify it, so that files of any size are quick. */
    edge: 262_144,
  },
  catalogue: {
    /** Bytes of all files of an asset: up to `small` it is small, from `large` it is large. */
    sizes: { small: 10_485_760, large: 1_073_741_824 },
    /** The newest matches that are read for facets. More take seconds where a hundred thousand match. */
    facets: 10_000,
    /** Milliseconds before each retry for prices that the provider's node was too slow to read. */
    retry: 1_500,
  },
  downloads: {
    /** Bytes of a download through memory; larger ones go to a file or by a link. */
    memory: 67_108_864,
    /** Milliseconds after which the bytes of a saved file are freed: the browser reads them a moment later. */
    saved: 60_000,
    /** Milliseconds before its end at which a link is renewed. */
    renewal: 60_000,
  },
  requests: {
    /** Milliseconds between two requests for a receipt. */
    polling: { local: 250, public: 3_000 },
    /** Milliseconds between two checks of a transaction. */
    watching: 2_000,
    /** Blocks of a request for logs if a node does not return all. */
    ranges: [100_000n, 10_000n, 1_000n],
    /** Milliseconds between two requests for the status. */
    status: 5_000,
    /** Milliseconds before each retry after the network's return: a browser reports "online" before anything is reachable. */
    online: [0, 1_000, 3_000],
    /** Milliseconds between two attempts to reach the provider before a reload, and without another reload: a module that is still missing does not come with the next one. */
    reload: { interval: 2_000, pause: 60_000 },
  },
  samples: {
    /** Bytes of a table and of a text that are read. */
    table: 262_144,
    text: 20_480,
    /** Pixels of a picture, which takes 160 MB when decoded. */
    picture: 40_000_000,
    /** Bytes in which the sizes of an AVIF picture are looked for. */
    avifHead: 65_536,
    /** Bytes of the description at the end of a Parquet file: each can become an object. */
    parquet: 524_288,
    /** Milliseconds for a PDF of a stranger, whose streams may expand without a bound; pixels of a drawn page, of each of its sides, and of a picture in it. */
    pdf: { time: 30_000, pixels: 4_000_000, side: 2_000, picture: 16_000_000 },
  },
  wallets: {
    /** Characters of the icon of a wallet, which is part of its announcement. */
    icon: 200_000,
  },
} as const
