import { Redis } from 'ioredis'
import { StartError } from '../errors.js'
import type { LegacyRecord } from './records.js'

/** Keys asked for at once. */
const BATCH = 1000

const NONCE_KEY = /^0x[0-9a-f]{40}$/i
/** A token under its prefix. */
const TOKEN_KEY = /^token\/\/(.+)$/

/**
 * Reads the Redis database of the legacy service: an account's last nonce under its address, and a deleted token
 * under `token//` and its text; other keys are left alone. Throws StartError, which does not quote the URL.
 */
export async function* redisRecords(url: string): AsyncGenerator<LegacyRecord> {
  const client = await connect(url)
  try {
    for await (const keys of client.scanStream({ count: BATCH }) as AsyncIterable<string[]>) {
      for (const key of keys) {
        const token = TOKEN_KEY.exec(key)?.[1]
        if (token !== undefined) yield { token }
      }
      const addresses = keys.filter((key) => NONCE_KEY.test(key))
      if (addresses.length === 0) continue
      const nonces = await client.mget(addresses)
      for (const [at, nonce] of nonces.entries()) if (nonce !== null) yield { address: addresses[at] as string, nonce }
    }
  } finally {
    client.disconnect()
  }
}

async function connect(url: string): Promise<Redis> {
  const problem = (what: string) => new StartError([`--redis: ${what}.`])
  if (!URL.canParse(url) || !/^rediss?:$/.test(new URL(url).protocol)) throw problem('must be a redis:// URL')
  const client = new Redis(url, { lazyConnect: true, retryStrategy: () => null, maxRetriesPerRequest: 0 })
  let code: string | undefined
  client.on('error', (error: { code?: string }) => {
    code = error.code
  })
  try {
    await client.connect()
    return client
  } catch {
    throw problem(`the database cannot be used: ${code ?? 'it refuses the user or the password'}`)
  }
}
