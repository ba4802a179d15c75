import { ADDRESS, HEX, type JsonSchema, named, object } from '../docs.js'

const TEXT: JsonSchema = { type: 'string' }
const COUNT: JsonSchema = { type: 'integer', minimum: 0 }
const ANY: JsonSchema = { type: 'object', additionalProperties: true }

/** Returns a named schema of which every property may be absent. */
const loose = (name: string, properties: Record<string, JsonSchema>, description: string) =>
  named(name, { ...object(properties, Object.keys(properties)), description })

const LOCALIZED = named('LocalizedText', {
  anyOf: [TEXT, object({ '@value': TEXT, '@language': TEXT, '@direction': TEXT }, ['@language', '@direction'])],
  description: 'Text; in documents of version 5 also an object that names its language.',
})

/** The description of an asset by its publisher. */
export const METADATA = loose(
  'Metadata',
  {
    name: TEXT,
    description: LOCALIZED,
    type: { type: 'string', description: 'dataset or algorithm.' },
    author: TEXT,
    license: { anyOf: [TEXT, ANY] },
    tags: { type: 'array', items: TEXT },
    created: TEXT,
    updated: TEXT,
    additionalInformation: ANY,
  },
  'What the publisher says about an asset. Nothing of it is verified.',
)

const SERVICE = loose(
  'AssetService',
  {
    id: { type: 'string', description: 'serviceId of requests.' },
    type: { type: 'string', description: 'access or compute.' },
    name: TEXT,
    datatokenAddress: { ...ADDRESS, description: 'The token whose order opens the files.' },
    serviceEndpoint: { type: 'string', description: 'URL of the provider that serves the files.' },
    timeout: { ...COUNT, description: 'Seconds for which an order is valid; 0 means for ever.' },
    files: { anyOf: [TEXT, ANY], description: 'The encrypted list of files.' },
  },
  'Files of an asset that are sold together.',
)

const OFFER = named('Offer', {
  ...object(
    {
      type: { enum: ['fixedrate', 'dispenser'] },
      price: { type: 'string', description: 'Decimal amount of the token for one datatoken, without fees; 0 if free.' },
      contract: { ...ADDRESS, description: 'The exchange or dispenser to call.' },
      token: { ...ADDRESS, description: 'The token of the price.' },
      exchangeId: { ...HEX, description: 'Id of the exchange in its contract.' },
    },
    ['token', 'exchangeId'],
  ),
  description: 'Where a datatoken is sold.',
})

const SERVICE_STATS = named('ServiceStats', {
  ...object({
    datatokenAddress: ADDRESS,
    name: TEXT,
    symbol: TEXT,
    serviceId: TEXT,
    orders: COUNT,
    prices: { type: 'array', items: OFFER },
  }),
  description: 'Orders and offers of one datatoken.',
})

const NFT = loose(
  'DataNft',
  {
    address: ADDRESS,
    name: TEXT,
    symbol: TEXT,
    state: { type: 'integer', description: '0 active, 5 unlisted; in other states nothing is delivered.' },
    tokenURI: TEXT,
    owner: ADDRESS,
    created: TEXT,
  },
  'The data NFT of an asset.',
)
const EVENT = loose(
  'MetadataEvent',
  { txid: HEX, tx: HEX, block: COUNT, from: ADDRESS, contract: ADDRESS, datetime: TEXT },
  'The transaction that published the document.',
)
const PURGATORY = named('Purgatory', object({ state: { type: 'boolean' }, reason: TEXT }))
const PRICE = loose(
  'Price',
  { value: { type: 'number' }, tokenAddress: ADDRESS, tokenSymbol: TEXT },
  'The first offer; empty if there is none.',
)
const STATS = loose('AssetStats', { orders: COUNT, price: PRICE }, 'Orders and price of an asset.')

const DATATOKENS: JsonSchema = {
  type: 'array',
  items: named('Datatoken', object({ address: ADDRESS, name: TEXT, symbol: TEXT, serviceId: TEXT })),
}

const INDEXED = loose(
  'IndexedMetadata',
  { nft: NFT, event: EVENT, purgatory: PURGATORY, stats: { type: 'array', items: SERVICE_STATS } },
  'What index and chain say about an asset.',
)

const DECLARED = {
  chainId: COUNT,
  nftAddress: ADDRESS,
  metadata: METADATA,
  services: { type: 'array', items: SERVICE },
}

/** A document as it is served: the fields of version 4, with those of version 5 in `credentialSubject`. */
export const ASSET = loose(
  'Asset',
  {
    id: { type: 'string', description: 'The DID.' },
    version: TEXT,
    ...DECLARED,
    credentialSubject: loose(
      'CredentialSubject',
      { id: TEXT, ...DECLARED, datatokens: DATATOKENS },
      'The asset in documents of version 5.',
    ),
    datatokens: DATATOKENS,
    nft: NFT,
    event: EVENT,
    stats: STATS,
    purgatory: PURGATORY,
    indexedMetadata: INDEXED,
  },
  'The document (DDO) of an asset. A hidden asset has no metadata and no services; a search with _source answers the chosen fields alone.',
)
