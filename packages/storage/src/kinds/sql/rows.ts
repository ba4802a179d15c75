import { Readable } from 'node:stream'
import { StorageError } from '@tidegate/protocol'
import type { Connection, Submittable } from 'pg'
import type { StorageConnection } from '../../egress/connection.js'
import { STORAGE_LIMITS } from '../../limits.js'
import type { SqlLimits } from '../tools.js'
import type { RowFormat } from './row-formats.js'
import { readRow } from './values.js'
import type { PostgresWire } from './wire.js'

/** A statement, with values for $1, $2 …. */
export interface Statement {
  text: string
  values: (string | null)[]
  format: RowFormat
}

export interface RowLimits extends SqlLimits {
  /** Bytes of a row on the wire. */
  maxRow: number
  /** Stops when a first row begins or the result is empty. */
  peek: boolean
}

/** The used fields of the driver's messages. */
interface Columns {
  fields: { name: string; dataTypeID: number }[]
}
interface RowMessage {
  fields: (string | null)[]
}

const PORTAL = 'rows'

/**
 * The rows of a query as text, fetched in batches from a portal, with back-pressure. Fails if the query fails, a limit is exceeded, or
 * the connection closes, so that a partial result never looks complete. The connection ends with the stream.
 */
export class Rows extends Readable implements Submittable {
  private driver: Connection | undefined
  private columns: string[] = []
  private types: number[] = []
  private texts: string[] = []
  /** Rows of the next batch: one at first, to measure its size. */
  private batchSize = 1
  private reading = false
  private commandComplete = false
  private complete = false
  private count = 0
  private size = 0

  constructor(
    private readonly statement: Statement,
    private readonly limits: SqlLimits,
    private readonly wire: PostgresWire,
    private readonly connection: StorageConnection,
  ) {
    super()
    // after its reader has left, an error must not crash the process
    this.on('error', () => undefined)
    wire.once('close', () => this.complete || this.destroy(connection.failure()))
  }

  /** Waits for the first row or the end of the result; with `peek`, for the start of a row. */
  async started(peek: boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.once('readable', resolve).once('end', resolve)
      if (peek) this.wire.once('row', resolve)
      this.once('close', () => reject(this.connection.failure()))
    })
    this.connection.deadline(undefined)
  }

  override _read(): void {
    if (this.driver && !this.reading) this.requestBatch()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connection.end()
    done(error)
  }

  /** Starts the query. Called by the driver, like all handlers below. */
  submit(connection: Connection): void {
    const { text, values } = this.statement
    this.driver = connection
    connection.parse({ name: '', text, types: [] }, true)
    connection.bind({ portal: PORTAL, values } as never, true)
    connection.describe({ type: 'P', name: PORTAL } as never, true)
    this.requestBatch()
  }

  handleRowDescription({ fields }: Columns): void {
    if (fields.length > STORAGE_LIMITS.sql.columns) this.refuse()
    this.columns = fields.map(({ name }) => name)
    this.types = fields.map(({ dataTypeID }) => dataTypeID)
  }

  handleDataRow({ fields }: RowMessage): void {
    const { format } = this.statement
    if (this.count === 0) this.texts.push(format.heading(this.columns))
    this.count += 1
    this.texts.push(format.row(this.columns, readRow(this.types, fields)))
    if (this.count > this.limits.maxRows) this.refuse()
  }

  handlePortalSuspended(): void {
    const { rows, row } = STORAGE_LIMITS.sql
    const rowSize = this.wire.batchBytes / this.batchSize
    this.batchSize = Math.max(1, Math.min(rows, Math.floor(row.anonymous / rowSize)))
    this.reading = false
    this.pushText()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }

  handleCommandComplete(): void {
    this.commandComplete = true
    this.driver?.sync()
  }

  handleReadyForQuery(): void {
    this.complete = this.commandComplete
    if (!this.complete) this.handleError()
    this.pushText()
    this.push(null)
    this.driver?.end()
  }

  /** Drops the server's error message, which may contain any data. */
  handleError(): void {
    this.destroy(this.connection.failure())
  }

  private requestBatch(): void {
    this.reading = true
    this.wire.expect(this.batchSize)
    this.driver?.execute({ portal: PORTAL, rows: this.batchSize } as never, true)
    this.driver?.flush()
  }

  private pushText(): void {
    const text = Buffer.from(this.texts.join(''))
    this.texts = []
    this.size += text.length
    if (this.size > this.limits.maxBytes) this.refuse()
    else if (text.length > 0) this.push(text)
  }

  private refuse(): void {
    this.destroy(new StorageError('STORAGE_REFUSED', 'The rows are more than this provider hands out.'))
  }
}
