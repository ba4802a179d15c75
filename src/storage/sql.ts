import type { Readable } from 'node:stream'
import { stringify } from 'csv-stringify'
import pg from 'pg'
import QueryStream from 'pg-query-stream'
import { z } from 'zod'
import { StorageError, ValidationError } from '../errors.js'
import { asNdjson, capped } from './rows.js'
import type { Asking, OpenedFile, OpenRequest, Storage, StorageTools, UserData } from './storage.js'

const sqlFile = z.object({
  type: z.literal('sql'),
  /** postgres://user:password@host:port/database; sslmode=require asks for TLS. */
  url: z.string().refine(isPostgresUrl, 'must be a postgres URL with host and database'),
  /** One statement that reads; $1, $2 … stand for the parameters. */
  query: z.string().min(1, 'must not be empty').max(65_536, 'must not be longer than 65536 characters'),
  /** Names of the values in userdata that are bound to $1, $2 …, in this order. */
  parameters: z.array(z.string().min(1)).max(100).default([]),
  format: z.enum(['csv', 'ndjson'], 'must be csv or ndjson').default('csv'),
})

export type SqlFile = z.infer<typeof sqlFile>

const MEDIA_TYPES = { csv: 'text/csv; charset=utf-8', ndjson: 'application/x-ndjson' }

/**
 * The rows of a query on PostgreSQL, as CSV or newline JSON, read in a read-only transaction with limits on time, rows
 * and bytes. Values of the consumer are bound, never written into the statement.
 */
export function sqlStorage({ egress, sql }: StorageTools): Storage<SqlFile> {
  /** Connects and begins to read. The stream closes the connection with itself. */
  async function rows(file: SqlFile, values: unknown[], asking: Asking): Promise<Readable> {
    const url = new URL(file.url)
    const { address, port, connectTimeout } = await egress.pinned(url, 5432, asking)
    const client = new pg.Client({
      host: address,
      port,
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(url.pathname.slice(1)),
      ssl: url.searchParams.get('sslmode') === 'require' ? { servername: url.hostname } : false,
      connectionTimeoutMillis: connectTimeout,
      statement_timeout: sql.timeout,
      options: '-c default_transaction_read_only=on',
    })
    client.on('error', () => undefined)
    try {
      await client.connect()
      // a cursor runs inside a transaction, and one that says so cannot be talked out of it by the statement
      await client.query('BEGIN READ ONLY')
      const stream = client.query(new QueryStream(file.query, values, { batchSize: BATCH, highWaterMark: BATCH }))
      stream.once('close', () => void client.end().catch(() => undefined))
      return await begun(stream)
    } catch {
      await client.end().catch(() => undefined)
      throw new StorageError('STORAGE_REFUSED', 'The database of this file did not answer the query.')
    }
  }

  async function open(file: SqlFile, asking: OpenRequest): Promise<OpenedFile> {
    const { method, userdata } = asking
    const values = boundValues(file, userdata)
    const stream = await rows(file, values, asking)
    const text = file.format === 'csv' ? stream.pipe(stringify({ header: true, cast: CASTS })) : stream.pipe(asNdjson())
    const body = capped(stream, text, sql)
    if (method === 'HEAD') body.destroy()
    return { status: 200, headers: { 'content-type': MEDIA_TYPES[file.format] }, body, name: `rows.${file.format}` }
  }

  return {
    type: 'sql',
    schema: sqlFile as unknown as z.ZodType<SqlFile>,
    check: (file, userdata) => void boundValues(file, userdata),
    open,
    outline: ({ format }) => ({ valid: true, contentType: mediaType(format) }),
    async describe(file, asking) {
      try {
        const stream = await rows(file, boundValues(file, asking.userdata), asking)
        stream.on('error', () => undefined).destroy()
        return { valid: true, contentType: mediaType(file.format) }
      } catch (error) {
        if (error instanceof StorageError || error instanceof ValidationError) return { valid: false }
        throw error
      }
    },
  }
}

function mediaType(format: SqlFile['format']): string {
  return MEDIA_TYPES[format].split(';')[0] as string
}

/** Rows that are read at once: few, since one row may be large. */
const BATCH = 16

const CASTS = {
  date: (value: Date) => value.toISOString(),
  boolean: (value: boolean) => String(value),
  object: (value: object) => JSON.stringify(value),
}

/** Waits until the query has run far enough to give rows, or to end; rejects where it fails. */
function begun(stream: Readable): Promise<Readable> {
  return new Promise((resolve, reject) => {
    stream.once('readable', () => resolve(stream))
    stream.once('end', () => resolve(stream))
    stream.once('error', reject)
  })
}

function boundValues({ parameters }: SqlFile, userdata: UserData = {}): unknown[] {
  return parameters.map((name) => {
    const value = Object.hasOwn(userdata, name) ? userdata[name] : undefined
    if (value === undefined || (typeof value === 'object' && value !== null))
      throw ValidationError.of('userdata', `The userdata field must hold ${name}, a parameter of the query.`)
    return value
  })
}

function isPostgresUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, pathname } = new URL(text)
  return /^postgres(?:ql)?:$/.test(protocol) && hostname !== '' && pathname.length > 1
}
