import { getAddress, isAddress } from 'viem'
import { latestNonce, parseNonce } from '../auth/nonce.js'
import { loadSettings } from '../config/load.js'
import { openStore } from '../state/open.js'
import type { StateStore } from '../state/store.js'
import { type LegacyRecord, legacyTokenEnd, legacyTokenId } from './records.js'
import { redisRecords } from './redis.js'
import { sqliteRecords } from './sqlite.js'

export interface ImportOptions {
  config?: string
  /** Path of the legacy service's SQLite file. */
  sqlite?: string
  /** URL of its Redis. */
  redis?: string
}

/** Seconds since 1970 to keep a deleted token that names no end: for good. */
const FOR_GOOD = Number.MAX_SAFE_INTEGER

/** Any whole part that a nonce can have. */
const NO_LIMIT = 10n ** 40n

/**
 * `tidegate import`: brings the nonces and deleted tokens of a legacy service over. It may run again and again, also
 * beside a running service: a nonce never goes down. Answers the exit code: 1 where something was not understood.
 */
export async function importLegacy({ config, sqlite, redis }: ImportOptions): Promise<number> {
  const settings = loadSettings(process.env, config)
  const store = await openStore(settings)
  const latest = latestNonce(Date.now(), settings.NONCE_MAX_AHEAD)
  const counts = { nonces: 0, kept: 0, tokens: 0, odd: 0, ahead: 0 }
  try {
    const records = sqlite === undefined ? redisRecords(redis as string) : sqliteRecords(sqlite)
    for await (const record of records) {
      const outcome = await take(record, store, latest)
      counts[outcome] += 1
      if (outcome === 'odd') warn(`not understood: ${'token' in record ? 'a deleted token' : record.address}`)
      if (outcome === 'ahead' && 'address' in record)
        warn(`${record.address}: its nonce lies further ahead than NONCE_MAX_AHEAD, so that no greater one is taken`)
    }
  } finally {
    await store.close()
  }
  const lines = [
    `nonces: ${counts.nonces + counts.ahead} imported, ${counts.kept} left, since they are not above the present ones`,
    `deleted tokens: ${counts.tokens}`,
    ...(counts.odd > 0 ? [`not understood: ${counts.odd}`] : []),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  return counts.odd > 0 ? 1 : 0
}

async function take(record: LegacyRecord, { nonces, revocations }: StateStore, latest: bigint) {
  if ('token' in record) {
    const jti = legacyTokenId(record.token)
    if (jti === undefined) return 'odd'
    await revocations.revoke(jti, legacyTokenEnd(record.token) ?? FOR_GOOD)
    return 'tokens'
  }
  const nonce = nonceOf(record.nonce)
  if (nonce === undefined || !isAddress(record.address, { strict: false })) return 'odd'
  if (!(await nonces.consume(getAddress(record.address), nonce.sortKey))) return 'kept'
  return BigInt(nonce.text.split('.')[0] as string) > latest ? 'ahead' : 'nonces'
}

function nonceOf(text: string) {
  try {
    return parseNonce(text.trim(), NO_LIMIT)
  } catch {
    return undefined
  }
}

function warn(line: string): void {
  process.stderr.write(`${line}\n`)
}
