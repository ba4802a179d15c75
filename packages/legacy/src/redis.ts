import { StartError } from '@tidegate/protocol'
import { Redis } from 'ioredis'
import { LEGACY_LIMITS } from './limits.js'
import { type PickledValue, readPickle } from './pickle.js'
import type { LegacyRecord, LegacySource } from './records.js'

/** Keys per batch of the scan. */
const BATCH = 1000

/** Prefix of all legacy keys. */
const PREFIX = 'ocean_provider'

/** Follows the prefix in keys of deleted tokens. Keys of nonces have the address there. */
const TOKEN = 'token//'

/**
 * Opens the legacy Redis. Whole numbers are digits, other values are `!` and a pickle. Keys of other programs are
 * ignored. Opening and reading throw StartError, which does not quote the URL.
 */
export async function openLegacyRedis(url: string): Promise<LegacySource> {
  const client = await connect(url)
  return { records: () => records(client), close: () => client.disconnect() }
}

async function* records(client: Redis): AsyncGenerator<LegacyRecord> {
  try {
    for await (const keys of client.scanStream({ match: `${PREFIX}*`, count: BATCH }) as AsyncIterable<string[]>)
      if (keys.length > 0) yield* recordsOf(keys, await valuesOf(client, keys))
  } catch (error) {
    throw problem(`the database does not answer any more: ${(error as { code?: string }).code ?? 'unknown reason'}`)
  }
}

/** Returns the value of each key, cut to one byte above the limit; undefined for other types. */
async function valuesOf(client: Redis, keys: string[]): Promise<(Buffer | undefined)[]> {
  const pipeline = client.pipeline()
  for (const key of keys) pipeline.getrangeBuffer(key, 0, LEGACY_LIMITS.records.value)
  const answers = (await pipeline.exec()) ?? []
  const lost = answers.find(([error]) => error && error.name !== 'ReplyError')
  if (lost) throw lost[0]
  return answers.map(([error, value]) => (error ? undefined : (value as Buffer)))
}

function* recordsOf(keys: string[], values: (Buffer | undefined)[]): Generator<LegacyRecord> {
  for (const [at, key] of keys.entries()) {
    const bytes = values[at]
    if (bytes?.length === 0) continue // expired since the scan
    const value = bytes && readValue(bytes)
    const name = key.slice(PREFIX.length)
    if (!name.startsWith(TOKEN)) yield { address: name, nonce: nonceText(value) }
    // the legacy service refuses the token for any other value
    else if (value !== false) yield { token: name.slice(TOKEN.length) }
  }
}

/** Parses a legacy value; returns undefined for other formats. */
export function readValue(bytes: Buffer): PickledValue | undefined {
  if (bytes.length > LEGACY_LIMITS.records.value) return undefined
  if (bytes[0] === 0x21) return readPickle(bytes.subarray(1))
  const text = bytes.toString('latin1')
  return /^-?\d+$/.test(text) ? BigInt(text) : undefined
}

/** Returns the text of a nonce. The legacy service treats booleans as numbers. */
function nonceText(value: PickledValue | undefined): string | undefined {
  if (typeof value === 'boolean') return value ? '1' : '0'
  return value === undefined ? undefined : String(value)
}

function problem(what: string): StartError {
  return new StartError([`--redis: ${what}.`])
}

async function connect(url: string): Promise<Redis> {
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol)) throw problem('must be a redis:// URL')
  // protocol 2: an old Redis knows no other
  const options = { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0, protocol: 2 } as const
  const client = new Redis(url, options)
  let code: string | undefined
  client.on('error', (error: { code?: string }) => {
    code = error.code
  })
  try {
    await client.connect()
    return client
  } catch {
    client.disconnect()
    throw problem(`the database cannot be used: ${code ?? 'it refuses the user or the password'}`)
  }
}
