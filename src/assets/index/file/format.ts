import * as z from 'zod'
import { BOUNDS } from '../../../bounds.js'
import { checksummed, isAddressText } from '../../../crypto/address.js'
import type { Address, Hex } from '../../../hex.js'
import type { IndexRow } from '../../../state/store.js'
import { storable } from '../../../state/tables/changes.js'

/**
 * A file of the index: lines of JSON, compressed by gzip. The first one is a header, then come the rows, and the last one
 * has the SHA-256 of all lines before it. It holds nothing that is not public on the chain: documents that were
 * decrypted are left out, and read again by whoever imports them.
 */
export const FORMAT = 'tidegate-index'
/** The form of the lines. A file of another one is refused. */
export const FORMAT_VERSION = 1
/** Raised when the same events give other rows than before. A file of another one is refused. */
export const DECODER_VERSION = 1

/** A file that cannot be imported, and where. The message quotes nothing of the file. */
export class IndexFileError extends Error {
  override readonly name = 'IndexFileError'
}

const number = z.int('must be a whole number').min(0, 'must not be negative')
const count = number.max(BOUNDS.indexFile.rows, `must not be above ${BOUNDS.indexFile.rows}`)
const boolean = z.boolean('must be true or false')
const hash = z
  .string('must be a hash')
  .regex(/^0x[0-9a-f]{64}$/, 'must be a hash of 32 bytes')
  .transform((value) => value as Hex)
const text = z.string('must be text').refine((value) => storable(value) === value, 'must be text that can be stored')
const address = z
  .string('must be an address')
  .refine((value) => isAddressText(value) && checksummed(value) === value, 'must be an address with its checksum')
  .transform((value) => value as Address)
const time = z
  .string('must be a time')
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/, 'must be a time such as 2026-11-22T07:30:00Z')
  .refine((value) => !Number.isNaN(Date.parse(value)), 'must be a time')

const header = z.strictObject({
  format: z.literal(FORMAT, `must be ${FORMAT}`),
  version: z.literal(FORMAT_VERSION, `must be ${FORMAT_VERSION}: the file is of another version of Tidegate`),
  decoder: z.literal(DECODER_VERSION, `must be ${DECODER_VERSION}: the file is of another version of Tidegate`),
  software: text.max(64, 'must not be longer than 64 characters'),
  chainId: number,
  factory: address,
  startBlock: number,
  checkpoint: z.strictObject({ block: number, hash }),
  counts: z.strictObject({ nfts: count, datatokens: count, assets: count }),
})

const nft = z.strictObject({ address, name: text, symbol: text, tokenUri: text, owner: address, created: time })
const datatoken = z.strictObject({ address, nft: address, name: text, symbol: text, orders: number })
const metadata = z
  .strictObject({
    nft: address,
    did: text.regex(/^did:op:[0-9a-f]{64}$/, 'must be a DID'),
    state: number.max(255, 'must be a state'),
    ddo: text.nullable(),
    reason: text.max(64, 'must be a known reason').nullable(),
    encrypted: boolean,
    txId: hash,
    block: number,
    from: address,
    timestamp: number.max(BOUNDS.chain.time, 'must be a time'),
  })
  .refine(({ ddo, reason }) => ddo === null || reason === null, { path: ['reason'], error: 'must not be beside ddo' })
  .refine(({ ddo, encrypted }) => ddo === null || !encrypted, {
    path: ['ddo'],
    error: 'must not be of an encrypted document',
  })

const line = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('nft'), nft }),
    z.strictObject({ kind: z.literal('datatoken'), datatoken }),
    z.strictObject({ kind: z.literal('asset'), metadata }),
    z.strictObject({ kind: z.literal('end'), sha256: z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256') }),
  ],
  'must be nft, datatoken, asset or end',
)

export type IndexFileHeader = z.infer<typeof header>
/** A row, or the end. */
export type IndexFileLine = IndexRow | { kind: 'end'; sha256: string }

/** Checks the first line. Throws IndexFileError. */
export const parseHeader = (json: unknown): IndexFileHeader => checked(header, json, 1)
/** Checks another line. Throws IndexFileError. */
export const parseLine = (json: unknown, at: number): IndexFileLine => checked(line, json, at)

function checked<T>(schema: z.ZodType<T>, json: unknown, at: number): T {
  const result = schema.safeParse(json)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.join('.')
  // names of unknown keys are the file's own
  const reason = issue?.code === 'unrecognized_keys' ? 'must not have further fields' : issue?.message
  throw new IndexFileError(`line ${at}${field ? `, ${field}` : ''}: ${reason}.`)
}
