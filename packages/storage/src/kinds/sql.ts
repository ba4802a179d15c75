import { ValidationError } from '@tidegate/protocol'
import * as z from 'zod'
import { POSTGRES_PORT } from '../constants.js'
import { StorageConnection } from '../egress/connection.js'
import { urlText } from '../http/descriptor.js'
import { STORAGE_LIMITS } from '../limits.js'
import type { OpenedFile, OpenRequest, RequestContext, Storage, UserData } from '../storage.js'
import { describeFailure } from '../storage-failures.js'
import { addressProblem, postgresAddress } from './sql/address.js'
import { ROW_FORMATS } from './sql/row-formats.js'
import type { Rows } from './sql/rows.js'
import { query } from './sql/session.js'
import type { StorageTools } from './tools.js'

const FILES = STORAGE_LIMITS.files
const MOST = FILES.queryParameters

const sqlFile = z.object({
  type: z.literal('sql'),
  /** postgres://user:password@host:port/database; sslmode=require enables TLS. */
  url: urlText.superRefine((text, context) => {
    const message = addressProblem(text)
    if (message) context.addIssue({ code: 'custom', message })
  }),
  /** A single read-only statement; $1, $2 … refer to the parameters. */
  query: z
    .string()
    .min(1, 'must not be empty')
    .max(FILES.query, `must not be longer than ${FILES.query} characters`)
    .refine((text) => !text.includes('\0'), 'must not contain NUL'),
  /** Names of the userdata values that are bound to $1, $2 …, in this order. */
  parameters: z
    .array(
      z
        .string()
        .min(1, 'must not hold an empty name')
        .max(MOST.name, `must not hold a name longer than ${MOST.name} characters`),
    )
    .max(MOST.count, `must not hold more than ${MOST.count} names`)
    .default([]),
  format: z.enum(['csv', 'ndjson'], 'must be csv or ndjson').default('csv'),
})

export type SqlFile = z.infer<typeof sqlFile>

/**
 * Creates the storage for PostgreSQL queries. Delivers rows as CSV or NDJSON, from a read-only transaction with limits on time, rows
 * and bytes. Binds userdata values, and never interpolates them into the statement.
 */
export function sqlStorage({ egress, sql }: StorageTools): Storage<SqlFile> {
  async function begin(
    file: SqlFile,
    context: RequestContext,
    options: { peek: boolean; maxRow: number },
  ): Promise<Rows> {
    const statement = {
      text: file.query,
      values: boundValues(file, context.userdata),
      format: ROW_FORMATS[file.format],
    }
    const address = postgresAddress(file.url)
    const connection = await StorageConnection.to(address.url, POSTGRES_PORT, egress, context)
    return query(address, statement, { ...sql, ...options }, connection)
  }

  async function open(file: SqlFile, context: OpenRequest): Promise<OpenedFile> {
    const body = await begin(file, context, { peek: false, maxRow: STORAGE_LIMITS.sql.row[context.budget] })
    if (context.method === 'HEAD') body.destroy()
    const { mediaType } = ROW_FORMATS[file.format]
    return { status: 200, headers: { 'content-type': mediaType }, body, name: `rows.${file.format}` }
  }

  return {
    type: 'sql',
    schema: sqlFile,
    check: (file, userdata) => void boundValues(file, userdata),
    open,
    outline: ({ format }) => ({ valid: true, contentType: mediaType(format) }),
    async describe(file, context) {
      try {
        // the limit of downloads, since the row is not read
        const rows = await begin(file, context, { peek: true, maxRow: STORAGE_LIMITS.sql.row.paid })
        rows.destroy()
        return { valid: true, contentType: mediaType(file.format) }
      } catch (error) {
        if (error instanceof ValidationError) return { valid: false, reason: 'failed' }
        return describeFailure(error)
      }
    },
  }
}

function mediaType(format: SqlFile['format']): string {
  return ROW_FORMATS[format].mediaType.split(';')[0] as string
}

/** Returns the values of the parameters as text, in order. Throws ValidationError. */
function boundValues({ parameters }: SqlFile, userdata: UserData = {}): (string | null)[] {
  return parameters.map((name) => {
    const value = Object.hasOwn(userdata, name) ? userdata[name] : undefined
    if (value === undefined || (typeof value === 'object' && value !== null))
      throw ValidationError.of('userdata', `The userdata field must hold ${name}, a parameter of the query.`)
    if (typeof value === 'string' && value.includes('\0'))
      throw ValidationError.of('userdata', 'The userdata field must not contain NUL.')
    return value === null ? null : String(value)
  })
}
