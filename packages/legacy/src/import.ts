import { Command, InvalidArgumentError, Option } from '@commander-js/extra-typings'
import { jsonText, note, print } from '@tidegate/common/terminal'
import { CONFIG } from '@tidegate/provider/commands/options'
import { loadSettings } from '@tidegate/provider/settings'
import { legacyTokenId, maxNonce, type NonceStore, openStore, type RevocationStore } from '@tidegate/provider/state'
import { getAddress, isAddress } from 'viem'
import { readLegacyNonce } from './nonces.js'
import { type LegacyRecord, legacyTokenExpiry } from './records.js'
import { openLegacyRedis } from './redis.js'
import { openLegacySqlite } from './sqlite.js'

export const command = (finish: (code: number) => void) => {
  const imported = new Command('import')
    .description(
      'Imports nonces and deleted tokens from a legacy service. May be repeated, also while the service runs.',
    )
    .addOption(new Option('--sqlite <file>', 'from its SQLite file').conflicts('redis'))
    .addOption(new Option('--redis <url>', 'from its Redis').conflicts('sqlite'))
    .option('--cut-over <time>', 'refuse nonces that read as a time before this one (ISO 8601; default: now)', past)
    .option(...CONFIG)
  return imported.action(async (options) => {
    if (options.sqlite === undefined && options.redis === undefined)
      imported.error('error: import needs --sqlite or --redis.')
    finish(await importLegacy(options))
  })
}

export interface ImportOptions {
  config?: string
  /** Path of the legacy SQLite file. */
  sqlite?: string
  /** URL of the legacy Redis. */
  redis?: string
  /** Cut-over time in milliseconds since 1970: older nonces are refused. Default: now. */
  cutOver?: number
}

/** Parses a time in the past, in milliseconds since 1970. A future cut-over would refuse everybody, and could not be reverted. */
function past(text: string): number {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)$/.test(text)
    ? Date.parse(text)
    : Number.NaN
  if (Number.isNaN(time)) throw new InvalidArgumentError('It must be a time such as 2026-11-22T07:30:00Z.')
  if (time < 0 || time > Date.now()) throw new InvalidArgumentError('It must not lie in the future, nor before 1970.')
  return time
}

/** Expiry of a deleted token without one. */
const NEVER = Number.MAX_SAFE_INTEGER

/**
 * `tidegate import`: imports nonces and deleted tokens of a legacy service, and raises the cut-over time, since that
 * service forgets nonces. Idempotent, and safe beside a running service: neither nonces nor the cut-over time decrease.
 * Returns the exit code: 1 if an unreadable record could allow a replay.
 */
async function importLegacy({ config, sqlite, redis, cutOver }: ImportOptions): Promise<number> {
  const settings = loadSettings(process.env, config, 'database')
  const since = cutOver ?? Date.now()
  const source = sqlite === undefined ? await openLegacyRedis(redis as string) : openLegacySqlite(sqlite)
  try {
    const store = await openStore(settings)
    try {
      // first, so that it applies even if the import fails
      await store.cutOver.raise(since)
      const counts = await takeAll(source.records(), store, maxNonce(Date.now(), settings.NONCE_MAX_AHEAD))
      report(counts, (await store.cutOver.get()) as number)
      return counts.unknown > 0 ? 1 : 0
    } finally {
      await store.close()
    }
  } finally {
    source.close()
  }
}

interface Counts {
  nonces: number
  kept: number
  tokens: number
  /** Skipped records that cannot allow a replay. */
  harmless: number
  unknown: number
}

async function takeAll(
  records: Iterable<LegacyRecord> | AsyncIterable<LegacyRecord>,
  { nonces, revocations }: { nonces: NonceStore; revocations: RevocationStore },
  latest: bigint,
): Promise<Counts> {
  const counts: Counts = { nonces: 0, kept: 0, tokens: 0, harmless: 0, unknown: 0 }
  for await (const record of records) {
    const outcome =
      'token' in record ? await takeToken(record.token, revocations) : await takeNonce(record, nonces, latest)
    counts[outcome] += 1
  }
  return counts
}

/** Imports a deleted token. Skips text that is no token. */
async function takeToken(token: string, revocations: RevocationStore): Promise<keyof Counts> {
  const jti = legacyTokenId(token)
  if (jti === undefined) {
    note(`skipped: a deleted token of ${token.length} characters is not a token`)
    return 'harmless'
  }
  await revocations.revoke(jti, legacyTokenExpiry(token) ?? NEVER)
  return 'tokens'
}

async function takeNonce(
  record: { address: string; nonce: string | undefined },
  nonces: NonceStore,
  latest: bigint,
): Promise<keyof Counts> {
  const address = record.address.replace(/^0X/, '0x')
  if (!isAddress(address, { strict: false })) {
    note(`skipped: ${printed(record.address)} is not an address`)
    return 'harmless'
  }
  const written = record.nonce === undefined ? 'in an unknown format' : printed(record.nonce)
  const nonce = readLegacyNonce(record.nonce)
  if (nonce === 'unused') {
    note(`skipped: the nonce of ${address}, ${written}, is not greater than zero`)
    return 'harmless'
  }
  if (nonce === 'unknown') {
    note(`unreadable: the nonce of ${address}, ${written}: which nonces that account has used is unknown`)
    return 'unknown'
  }
  if (!(await nonces.consume(getAddress(address), nonce.sortKey))) return 'kept'
  if (BigInt(nonce.sortKey.split('.')[0] as string) > latest)
    note(`${address}: its nonce lies further ahead than NONCE_MAX_AHEAD, so that no greater one is accepted`)
  return 'nonces'
}

function report({ nonces, kept, tokens, harmless, unknown }: Counts, since: number): void {
  const lines = [
    `nonces: ${nonces} imported, ${kept} unchanged, since the current ones are not lower`,
    `deleted tokens: ${tokens}`,
    ...(harmless > 0 ? [`skipped, since they cannot allow a replay: ${harmless}`] : []),
    ...(unknown > 0 ? [`unreadable: ${unknown}`] : []),
    `cut-over: ${new Date(since).toISOString()}; nonces that can be read as an earlier time are refused`,
  ]
  print(...lines)
}

/** Quotes and truncates untrusted text for a line in a terminal. */
const printed = (text: string) => jsonText(text.length > 80 ? `${text.slice(0, 80)}…` : text)
