import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { type Address, type Hex, zeroAddress } from 'viem'
import { checksummed } from '../../packages/protocol/src/crypto/address.js'
import { encrypt } from '../../packages/protocol/src/crypto/ecies.js'
import { keccak } from '../../packages/protocol/src/crypto/keccak.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { didOf } from '../../packages/protocol/src/ddo/ddo.js'
import { chainLog } from '../../test/helpers/chain-log.js'
import type { SyntheticOptions } from '../synthetic-node.js'

export const CHAIN_ID = 8996
export const FACTORY = checksummed(`0x${'fa'.repeat(20)}`)
const KEY = providerKey(`0x${'11'.repeat(32)}`)

/** Seconds since 1970 of block 0. A block takes a second. */
export const BEGINNING = 1_700_000_000

const hashOf = (text: string): Hex => `0x${Buffer.from(keccak(Buffer.from(text))).toString('hex')}`
export const blockHash = (block: number): Hex => hashOf(`block${block}`)
const addressOf = (text: string) => hashOf(text).slice(0, 42) as Address

/** The document of an asset. All have the same length. */
function documentOf(id: number, nft: Address, token: Address): Buffer {
  const services = [
    {
      id: 'a',
      type: 'access',
      files: `0x${'ab'.repeat(600)}`,
      datatokenAddress: token,
      serviceEndpoint: 'http://x',
      timeout: 0,
    },
  ]
  const description = `Tides of station ${String(id).padStart(8, '0')}. `.repeat(40)
  const common = { id: didOf(nft, CHAIN_ID), version: '4.1.0', chainId: CHAIN_ID, nftAddress: nft }
  return Buffer.from(JSON.stringify({ ...common, metadata: { description }, services }))
}

/** In place of what differs between assets, in lower case. */
const PLACES = { nft: 'a1'.repeat(20), token: 'a2'.repeat(20), hash: 'a3'.repeat(32) }

/** The events of an asset as JSON, in parts: text, and the names of what comes between. */
function templateOf(plain: boolean): string[][] {
  const [nft, token] = [`0x${PLACES.nft}`, `0x${PLACES.token}`] as const
  const length = documentOf(0, nft, token).length
  const filled = Buffer.alloc(plain ? length : encrypt(KEY.publicKey, Buffer.alloc(length)).length, 0xa4)
  const where = { block: 0, blockHash: '0x', time: 0, transactionHash: '0x', index: 0 } as const
  const common = { templateAddress: zeroAddress, symbol: 's', creator: nft }
  const made = { ...common, newTokenAddress: nft, tokenName: 'n', admin: nft, tokenURI: '', transferable: true }
  const offered = { ...common, newTokenAddress: token, name: 'd', cap: 1n }
  const published = {
    createdBy: nft,
    state: 0,
    decryptorUrl: '',
    flags: plain ? '0x00' : '0x02',
    data: `0x${filled.toString('hex')}`,
    metaDataHash: `0x${PLACES.hash}`,
    timestamp: BigInt(BEGINNING),
    blockNumber: 1n,
  }
  const places = new RegExp(`(${[...Object.values(PLACES), filled.toString('hex')].join('|')})`)
  const names = Object.fromEntries(Object.entries(PLACES).map(([name, place]) => [place, name]))
  return [
    chainLog({ address: FACTORY, eventName: 'NFTCreated', args: made }, where),
    chainLog({ address: FACTORY, eventName: 'TokenCreated', args: offered }, where),
    chainLog({ address: nft, eventName: 'MetadataCreated', args: published }, where),
  ].map(({ address, topics, data }) =>
    // every second part is a place
    JSON.stringify({ address: address.toLowerCase(), topics, data })
      .slice(0, -1)
      .split(places)
      .map((part, at) => (at % 2 === 0 ? part : (names[part] ?? 'data'))),
  )
}

function eventsOf(id: number, block: number, index: number, template: string[][], plain: boolean): string {
  const [nft, token] = [addressOf(`nft${id}`), addressOf(`token${id}`)]
  const document = documentOf(id, checksummed(nft), checksummed(token))
  const values: Record<string, string> = {
    nft: nft.slice(2),
    token: token.slice(2),
    hash: createHash('sha256').update(document).digest('hex'),
    data: (plain ? document : encrypt(KEY.publicKey, document)).toString('hex'),
  }
  const hex = (number: number) => `0x${number.toString(16)}`
  const where = { blockNumber: hex(block), blockHash: blockHash(block), blockTimestamp: hex(BEGINNING + block) }
  const rest = JSON.stringify({ ...where, transactionIndex: '0x0', removed: false, transactionHash: hashOf(`tx${id}`) })
  return template
    .map((parts, at) => {
      const text = parts.map((part, place) => (place % 2 === 0 ? part : values[part])).join('')
      return `,${text},"logIndex":"${hex(index + at)}",${rest.slice(1)}`
    })
    .join('')
}

/**
 * The events of a synthetic chain, made before the clock starts and kept in a file: a real node neither makes nor encrypts
 * what it is asked for. Memory has the place of each block in it alone.
 */
export class SyntheticBlocks {
  /** Bytes before each block with assets, in order, and those of all. */
  private readonly before = [0]

  constructor(
    private readonly path: string,
    private readonly options: Required<Pick<SyntheticOptions, 'blocks' | 'perBlock' | 'every' | 'plain'>>,
  ) {}

  /** Makes all events. */
  async prepare(): Promise<void> {
    const { blocks, perBlock, every, plain } = this.options
    const template = templateOf(plain)
    const file = createWriteStream(this.path)
    let bytes = 0
    for (let block = every; perBlock > 0 && block <= blocks; block += every) {
      const ids = Array.from({ length: perBlock }, (_, at) => at)
      const text = ids.map((at) => eventsOf(block * perBlock + at, block, 3 * at, template, plain)).join('')
      bytes += Buffer.byteLength(text)
      this.before.push(bytes)
      if (!file.write(text)) await once(file, 'drain')
    }
    file.end()
    await once(file, 'close')
  }

  /** The events of a range of blocks, in order: JSON objects with commas between them. Undefined where there are none. */
  read(first: number, last: number): Readable | undefined {
    const { every } = this.options
    const most = this.before.length - 1
    const [from, to] = [Math.ceil(Math.max(first, 1) / every) - 1, Math.floor(last / every)].map((at) =>
      Math.min(at, most),
    ) as [number, number]
    const [start, end] = [this.before[from] as number, this.before[to] as number]
    // without the first comma
    return from < to
      ? createReadStream(this.path, { start: start + 1, end: end - 1, highWaterMark: 262_144 })
      : undefined
  }
}
