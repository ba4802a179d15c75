import { Readable } from 'node:stream'
import type { Connection, Submittable } from 'pg'
import { BOUNDS } from '../../bounds.js'
import { StorageError } from '../../errors.js'
import type { StorageConnection } from '../connection.js'
import type { RowFormat, SqlLimits } from '../rows.js'
import { readRow } from './values.js'
import type { PostgresWire } from './wire.js'

/** A statement with the values that are bound to $1, $2 …. */
export interface Statement {
  text: string
  values: (string | null)[]
  format: RowFormat
}

export interface RowLimits extends SqlLimits {
  /** Bytes of a row as the server sends it. */
  maxRow: number
  /** Whether it is enough to know that there is a first row, or none. */
  peek: boolean
}

/** What the driver's parser makes of the messages that are read here. */
interface Columns {
  fields: { name: string; dataTypeID: number }[]
}
interface RowMessage {
  fields: (string | null)[]
}

const PORTAL = 'rows'

/**
 * The text of a query's rows, read in batches and no faster than it is wanted. It breaks where the query fails, the
 * rows or their text pass their limits, or the connection goes: never does it look like a whole file then. The
 * connection ends with it.
 */
export class Rows extends Readable implements Submittable {
  private driver: Connection | undefined
  private columns: string[] = []
  private types: number[] = []
  private texts: string[] = []
  /** Rows to ask for: one at first, to learn how large they are. */
  private wanted = 1
  private reading = false
  private finished = false
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
    // of rows that nobody reads any more: it must not end the process
    this.on('error', () => undefined)
    wire.once('close', () => this.complete || this.destroy(connection.failure()))
  }

  /** Waits for the first row, or until it is known that there is none; with `peek`, only until it begins to come. */
  async begun(peek: boolean): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.once('readable', resolve).once('end', resolve)
      if (peek) this.wire.once('row', resolve)
      this.once('close', () => reject(this.connection.failure()))
    })
    this.connection.deadline(undefined)
  }

  override _read(): void {
    if (this.driver && !this.reading) this.ask()
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.connection.end()
    done(error)
  }

  /** For the driver, as everything below: begins. */
  submit(connection: Connection): void {
    const { text, values } = this.statement
    this.driver = connection
    connection.parse({ name: '', text, types: [] }, true)
    connection.bind({ portal: PORTAL, values } as never, true)
    connection.describe({ type: 'P', name: PORTAL } as never, true)
    this.ask()
  }

  handleRowDescription({ fields }: Columns): void {
    if (fields.length > BOUNDS.sql.columns) this.refuse()
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
    const { rows, row } = BOUNDS.sql
    const each = this.wire.batchBytes / this.wanted
    this.wanted = Math.max(1, Math.min(rows, Math.floor(row.anonymous / each)))
    this.reading = false
    this.handOver()
  }

  handleEmptyQuery(): void {
    this.handleCommandComplete()
  }

  handleCommandComplete(): void {
    this.finished = true
    this.driver?.sync()
  }

  handleReadyForQuery(): void {
    this.complete = this.finished
    if (!this.complete) this.handleError()
    this.handOver()
    this.push(null)
    this.driver?.end()
  }

  /** What the server says of a failure may quote anything: it is not told. */
  handleError(): void {
    this.destroy(this.connection.failure())
  }

  private ask(): void {
    this.reading = true
    this.wire.expect(this.wanted)
    this.driver?.execute({ portal: PORTAL, rows: this.wanted } as never, true)
    this.driver?.flush()
  }

  private handOver(): void {
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
