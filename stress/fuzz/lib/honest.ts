import { createHash } from 'node:crypto'
import type { Address, Hex } from 'viem'
import { providerKey } from '../../../packages/protocol/src/crypto/keys.js'
import { didOf } from '../../../packages/protocol/src/ddo/ddo.js'
import { SECRET } from './target.js'

/** Valid data of publishers and consumers, as seeds for the generators. */
export const NFT: Address = '0x1D5CEbD46Eb0a12013DbE1A66733AD39d410F061'
export const DATATOKEN: Address = '0x967da4048cD07aB37855c090aAF366e4ce1b9F48'
export const CONSUMER: Address = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'
export const CHAIN_ID = 8996
export const KEY = providerKey(`0x${'11'.repeat(32)}`)
export const OLD_KEY = providerKey(`0x${'22'.repeat(32)}`)
export const TX: Hex = `0x${'ab'.repeat(32)}`

const CREDENTIALS = {
  allow: [{ type: 'address', values: [CONSUMER, '*'] }],
  deny: [{ type: 'address', values: ['0x967da4048cD07aB37855c090aAF366e4ce1b9F48'] }, { type: 'other' }],
  match_allow: 'any',
}

export const PARAMETERS = [
  { name: 'day', type: 'text', label: 'Day', required: true, default: 'today', description: 'x' },
  { name: 'count', type: 'number', label: 'Count', required: false, default: '3', description: 'x' },
  { name: 'all', type: 'boolean', label: 'All', required: false, default: false, description: 'x' },
  {
    name: 'where',
    type: 'select',
    label: 'W',
    required: true,
    default: 'de',
    options: [{ de: 'Germany' }, { fr: 'France' }],
  },
  { name: 'how', type: 'select', label: 'H', required: false, default: 'a', options: '[{"a":"A"},{"b":"B"}]' },
]

const SERVICE = {
  id: 'tide-access',
  type: 'access',
  files: `0x${'04'.repeat(200)}`,
  datatokenAddress: DATATOKEN,
  serviceEndpoint: 'https://provider.example',
  timeout: 3600,
  credentials: CREDENTIALS,
  consumerParameters: PARAMETERS,
}

const METADATA = {
  created: '2026-01-01T00:00:00Z',
  updated: '2026-01-01T00:00:00Z',
  type: 'dataset',
  name: 'Tide tables',
  description: 'Höhe der Flut',
  author: 'x',
  license: 'https://license.example',
  tags: ['tide', 'water'],
}

export const DDO_4 = {
  '@context': ['https://w3id.org/did/v1'],
  id: didOf(NFT, CHAIN_ID),
  version: '4.1.0',
  chainId: CHAIN_ID,
  nftAddress: NFT,
  metadata: METADATA,
  services: [SERVICE, { ...SERVICE, id: 'tide-compute', type: 'compute', compute: { allowRawAlgorithm: false } }],
  credentials: CREDENTIALS,
}

const LIST = { type: 'accessList', accessList: NFT, chainId: CHAIN_ID }

export const DDO_5 = {
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  id: didOf(NFT, CHAIN_ID, 5),
  version: '5.0.0',
  credentialSubject: {
    chainId: CHAIN_ID,
    nftAddress: NFT,
    metadata: METADATA,
    services: [
      { ...SERVICE, credentials: [CREDENTIALS, { type: 'address', values: [{ address: CONSUMER }] }, LIST], state: 0 },
    ],
    credentials: [CREDENTIALS],
  },
}

/** A document as metadata caches return it. */
export const CACHED = {
  ...DDO_4,
  nft: {
    address: NFT,
    name: 'x',
    symbol: 'X',
    state: 0,
    tokenURI: '',
    owner: CONSUMER,
    created: '2026-01-01T00:00:00',
  },
  datatokens: [{ address: DATATOKEN, name: 'a', symbol: 'A', serviceId: 'tide-access' }],
  event: { tx: TX, block: 5, from: CONSUMER, contract: NFT, datetime: '2026-01-01T00:00:00' },
  stats: { orders: 1 },
  purgatory: { state: false },
}

export const CACHED_5 = { ...DDO_5, indexedMetadata: { nft: CACHED.nft, event: { txid: TX }, stats: {} } }

/** Storage objects of every kind, with SECRET in each secret field. */
export const DESCRIPTORS: Record<string, unknown>[] = [
  { type: 'url', url: `https://files.example/${SECRET}?a=1`, method: 'GET', headers: { 'x-key': SECRET } },
  { type: 'url', url: `https://files.example/${SECRET}/data.csv`, method: 'POST', headers: [] },
  { type: 'ipfs', hash: 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi' },
  { type: 'ipfs', hash: 'QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWnPbdG' },
  { type: 'filecoin', cid: 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy' },
  { type: 'arweave', transactionId: 'a'.repeat(43) },
  { type: 'graphql', url: `https://graph.example/${SECRET}`, query: 'query { a { b } }', headers: { 'x-key': SECRET } },
  {
    ...{ type: 's3', endpoint: 'https://s3.example/base', bucket: 'tides', key: `a/${SECRET} ü.csv`, region: 'eu-1' },
    ...{ accessKeyId: SECRET, secretAccessKey: SECRET, sessionToken: SECRET, forcePathStyle: false },
  },
  {
    ...{ type: 'sql', url: `postgres://user:${SECRET}@db.example:5433/tides?sslmode=require`, format: 'csv' },
    ...{ query: 'select * from t where d = $1', parameters: ['day'] },
  },
  { type: 'ftp', url: `ftp://user:${SECRET}@ftp.example/a/b%20c.csv` },
  { type: 'hosted', id: `${SECRET}-`.padEnd(43, 'A') },
  {
    ...{ type: 'smartcontract', chainId: CHAIN_ID, address: NFT },
    abi: {
      type: 'function',
      name: 'get',
      stateMutability: 'view',
      inputs: [{ name: 'day', type: 'uint256' }],
      outputs: [],
    },
  },
]

/** The ABI of a function with values of every type. */
export const FUNCTION_ABI = {
  type: 'function',
  name: 'tides',
  stateMutability: 'view',
  inputs: [
    { name: 'day', type: 'uint256' },
    { name: 'where', type: 'string' },
    { name: 'who', type: 'address[]' },
    { name: 'flags', type: 'bool[2][]' },
    { name: 'raw', type: 'bytes' },
    { name: 'id', type: 'bytes32' },
    { name: 'low', type: 'int8' },
  ],
  outputs: [
    { name: 'height', type: 'int256' },
    { name: 'names', type: 'string[]' },
    {
      name: 'rows',
      type: 'tuple[]',
      components: [
        { name: 'at', type: 'uint64' },
        {
          name: 'inner',
          type: 'tuple',
          components: [
            { name: 'raw', type: 'bytes' },
            { name: 'ok', type: 'bool' },
          ],
        },
      ],
    },
    { name: 'grid', type: 'uint8[3][2]' },
  ],
}

export const FUNCTION_ARGUMENTS = {
  day: '12',
  where: 'Husum',
  who: [CONSUMER],
  flags: [[true, 'false']],
  raw: '0x0102',
  id: `0x${'00'.repeat(32)}`,
  low: -3,
}

export function sha256(data: Uint8Array | string): Hex {
  return `0x${createHash('sha256').update(data).digest('hex')}`
}
