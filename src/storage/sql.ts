import { z } from 'zod'
import { BOUNDS } from '../bounds.js'
import { ValidationError } from '../errors.js'
import { StorageConnection } from './connection.js'
import { isAnswer } from './http-storage.js'
import { addressProblem, postgresAddress } from './postgres/address.js'
import type { Rows } from './postgres/rows.js'
import { query } from './postgres/session.js'
import { ROW_FORMATS } from './rows.js'
import type { Asking, OpenedFile, OpenRequest, Storage, StorageTools, UserData } from './storage.js'

const sqlFile = z.object({
  type: z.literal('sql'),
  /** postgres://user:password@host:port/database; sslmode=require asks for TLS. */
  url: z.string().superRefine((text, context) => {
    const message = addressProblem(text)
    if (message) context.addIssue({ code: 'custom', message })
  }),
  /** One statement that reads; $1, $2 … stand for the parameters. */
  query: z
    .string()
    .min(1, 'must not be empty')
    .max(65_536, 'must not be longer than 65536 characters')
    .refine((text) => !text.includes('\0'), 'must not contain NUL'),
  /** Names of the values in userdata that are bound to $1, $2 …, in this order. */
  parameters: z.array(z.string().min(1)).max(100).default([]),
  format: z.enum(['csv', 'ndjson'], 'must be csv or ndjson').default('csv'),
})

export type SqlFile = z.infer<typeof sqlFile>

/**
 * The rows of a query on PostgreSQL, as CSV or newline JSON, read in a read-only transaction with limits on time, rows
 * and bytes. Values of the consumer are bound, never written into the statement.
 */
export function sqlStorage({ egress, sql }: StorageTools): Storage<SqlFile> {
  async function begin(file: SqlFile, asking: Asking, how: { peek: boolean; maxRow: number }): Promise<Rows> {
    const statement = { text: file.query, values: boundValues(file, asking.userdata), format: ROW_FORMATS[file.format] }
    const address = postgresAddress(file.url)
    const connection = await StorageConnection.to(address.url, 5432, egress, asking)
    return query(address, statement, { ...sql, ...how }, connection)
  }

  async function open(file: SqlFile, asking: OpenRequest): Promise<OpenedFile> {
    const body = await begin(file, asking, { peek: false, maxRow: BOUNDS.sql.row[asking.budget] })
    if (asking.method === 'HEAD') body.destroy()
    const { mediaType } = ROW_FORMATS[file.format]
    return { status: 200, headers: { 'content-type': mediaType }, body, name: `rows.${file.format}` }
  }

  return {
    type: 'sql',
    schema: sqlFile as unknown as z.ZodType<SqlFile>,
    check: (file, userdata) => void boundValues(file, userdata),
    open,
    outline: ({ format }) => ({ valid: true, contentType: mediaType(format) }),
    async describe(file, asking) {
      try {
        // no row is read, so it may be as large as one of a download
        const rows = await begin(file, asking, { peek: true, maxRow: BOUNDS.sql.row.paid })
        rows.destroy()
        return { valid: true, contentType: mediaType(file.format) }
      } catch (error) {
        if (error instanceof ValidationError || isAnswer(error)) return { valid: false }
        throw error
      }
    },
  }
}

function mediaType(format: SqlFile['format']): string {
  return ROW_FORMATS[format].mediaType.split(';')[0] as string
}

/** The values of the parameters as text, in their order. Throws ValidationError. */
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
