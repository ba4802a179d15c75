import { createCipheriv, createHash, randomBytes } from 'node:crypto'
import { type Address, type Hex, zeroAddress } from 'viem'
import { checksummed } from '../../packages/protocol/src/crypto/address.js'
import { encrypt, sharedPoints } from '../../packages/protocol/src/crypto/ecies.js'
import { contentKey, ECIES, ECIES_OVERHEAD } from '../../packages/protocol/src/crypto/ecies-content.js'
import { providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { chainLog } from '../../test/helpers/chain-log.js'
import { DOCUMENT_SIZE, documentOf, random } from './synthetic-documents.js'

export const CHAIN_ID = 8996
export const FACTORY = checksummed(`0x${'fa'.repeat(20)}`)
/** The contract of all prices, and their token. */
export const EXCHANGE: Address = `0x${'ee'.repeat(20)}`
const KEY = providerKey(`0x${'11'.repeat(32)}`)

/** Seconds since 1970 of block 0. A block takes a second. */
export const BEGINNING = 1_700_000_000

/** Accounts that order, and those that publish. */
const ACCOUNTS = { consumer: 100_000, owner: 10_000 }

const digest = (text: string) => createHash('sha256').update(text).digest('hex')
export const blockHash = (block: number): Hex => `0x${digest(`block ${block}`)}`
const digitsOf = (contract: 'nft' | 'token' | 'owner' | 'consumer', id: number) => digest(`${contract} ${id}`).slice(24)
const addressIn = (digits: string) => checksummed(`0x${digits}` as Address)
export const addressOf = (...of: Parameters<typeof digitsOf>) => addressIn(digitsOf(...of))

/** The parts of an event that differ, and the digits in their place. */
const PLACES = {
  nft: 'a1'.repeat(20),
  token: 'a2'.repeat(20),
  owner: 'a3'.repeat(20),
  consumer: 'a4'.repeat(20),
  hash: 'a5'.repeat(32),
  exchange: 'a6'.repeat(32),
  rate: 'a7'.repeat(32),
  name: '4e'.repeat(16),
  data: 'a8'.repeat(DOCUMENT_SIZE + ECIES_OVERHEAD),
}
type Values = Partial<Record<keyof typeof PLACES, string>>

/** Returns an event as JSON in parts. Every second part is the name of a place. */
function templateOf(address: Hex, eventName: string, args: Record<string, unknown>): string[] {
  const where = { block: 0, blockHash: '0x', time: 0, transactionHash: '0x', index: 0 } as const
  const { topics, data, ...log } = chainLog({ address, eventName, args }, where)
  const names = Object.fromEntries(Object.entries(PLACES).map(([name, digits]) => [digits, name]))
  return JSON.stringify({ address: log.address.toLowerCase(), topics, data })
    .slice(0, -1)
    .split(new RegExp(`(${Object.values(PLACES).join('|')})`))
    .map((part) => names[part] ?? part)
}

function templates() {
  const place = (name: keyof typeof PLACES): Hex => `0x${PLACES[name]}`
  const name = Buffer.from(PLACES.name, 'hex').toString()
  const common = { templateAddress: zeroAddress, symbol: 'TIDE-1' }
  const nft = { newTokenAddress: place('nft'), admin: place('owner'), creator: place('owner') }
  const timed = { timestamp: BigInt(BEGINNING), blockNumber: 1n }
  const sold = { exchangeId: place('exchange'), baseToken: EXCHANGE }
  return {
    nft: templateOf(FACTORY, 'NFTCreated', { ...common, ...nft, tokenName: name, tokenURI: '', transferable: true }),
    token: templateOf(FACTORY, 'TokenCreated', {
      ...{ ...common, newTokenAddress: place('token'), name, cap: 1n, creator: place('nft') },
    }),
    exchange: templateOf(EXCHANGE, 'ExchangeCreated', {
      ...{ ...sold, datatoken: place('token'), exchangeOwner: place('owner'), fixedRate: BigInt(place('rate')) },
    }),
    fixedRate: templateOf(place('token'), 'NewFixedRate', {
      ...{ ...sold, owner: place('owner'), exchangeContract: EXCHANGE },
    }),
    metadata: templateOf(place('nft'), 'MetadataCreated', {
      ...{ createdBy: place('owner'), state: 0, decryptorUrl: '', flags: '0x02', data: place('data') },
      ...{ metaDataHash: place('hash'), ...timed },
    }),
    order: templateOf(place('token'), 'OrderStarted', {
      ...{ consumer: place('consumer'), payer: place('consumer'), amount: 10n ** 18n, serviceIndex: 0n, ...timed },
      publishMarketAddress: zeroAddress,
    }),
  }
}

/** Like `encrypt`, with one ephemeral key for all: its arithmetic would take longer than all the rest of a block. */
function encryptor(): (plain: Buffer) => Buffer {
  const ephemeral = encrypt(KEY.publicKey, Buffer.alloc(0)).subarray(0, ECIES.key)
  const [point] = sharedPoints([KEY], ephemeral)
  const key = contentKey(ephemeral, point as Uint8Array)
  return (plain) => {
    const nonce = randomBytes(ECIES.nonce)
    const cipher = createCipheriv('aes-256-gcm', key, nonce)
    const body = Buffer.concat([cipher.update(plain), cipher.final()])
    return Buffer.concat([ephemeral, nonce, cipher.getAuthTag(), body])
  }
}
const encrypted = encryptor()

/** A number from 0 to below `most`; half of all numbers are below its square root. */
const skewed = (most: number, next: () => number) => Math.floor(most ** next())

/** The events of a synthetic chain. Nothing is stored, so that a chain of millions needs no disk. */
export class SyntheticBlocks {
  private readonly templates = templates()

  /** Every block has `perBlock` assets, and `orders` times as many orders of all assets so far. */
  constructor(private readonly options: { blocks: number; perBlock: number; orders: number }) {}

  /** Yields the events of a range of blocks, in order: JSON objects, block by block. */
  *read(first: number, last: number): Generator<string> {
    const { blocks, perBlock } = this.options
    if (perBlock === 0) return
    for (let block = Math.max(first, 1); block <= Math.min(last, blocks); block++) yield this.eventsOf(block)
  }

  private eventsOf(block: number): string {
    const { perBlock, orders } = this.options
    const hex = (number: number) => `0x${number.toString(16)}`
    const where = `"blockNumber":"${hex(block)}","blockHash":"${blockHash(block)}","blockTimestamp":"${hex(BEGINNING + block)}"`
    const all: string[] = []
    const add = (kind: keyof ReturnType<typeof templates>, values: Values, transaction: string) => {
      const parts = this.templates[kind].map((part, at) => (at % 2 === 0 ? part : values[part as keyof Values]))
      const rest = `"transactionIndex":"0x0","removed":false,"transactionHash":"0x${transaction}"`
      all.push(`${parts.join('')},"logIndex":"${hex(all.length)}",${where},${rest}}`)
    }
    const before = (block - 1) * perBlock
    for (let id = before; id < before + perBlock; id++) {
      const values = assetValues(id, BEGINNING + block)
      const transaction = digest(`published ${id}`)
      for (const kind of ['nft', 'token', 'exchange', 'fixedRate', 'metadata'] as const) add(kind, values, transaction)
    }
    const next = random(`orders ${block}`)
    for (let at = 0; at < perBlock * orders; at++) {
      const token = digitsOf('token', Math.floor((before + perBlock) * next()))
      const consumer = digitsOf('consumer', skewed(ACCOUNTS.consumer, next))
      add('order', { token, consumer }, digest(`order ${block} ${at}`))
    }
    return all.join(',')
  }
}

/** Returns the owner of an asset. */
export const ownerIn = (id: number) => addressOf('owner', skewed(ACCOUNTS.owner, random(`asset ${id}`)))

function assetValues(id: number, created: number): Values {
  const next = random(`asset ${id}`)
  const [nft, token] = [digitsOf('nft', id), digitsOf('token', id)]
  const document = documentOf(id, CHAIN_ID, addressIn(nft), addressIn(token), created)
  const cents = BigInt(skewed(100_000, next))
  return {
    ...{ nft, token, owner: digitsOf('owner', skewed(ACCOUNTS.owner, next)) },
    hash: createHash('sha256').update(document).digest('hex'),
    exchange: digest(`exchange ${id}`),
    rate: (cents * 10n ** 16n).toString(16).padStart(64, '0'),
    name: Buffer.from(`Data token ${String(id % 100_000).padStart(5, '0')}`).toString('hex'),
    data: encrypted(document).toString('hex'),
  }
}
