import { type Readable, Transform } from 'node:stream'
import { StorageError } from '../errors.js'

/** What one query may cost. */
export interface SqlLimits {
  /** Milliseconds that a statement may run. */
  timeout: number
  maxRows: number
  maxBytes: number
}

/** Rows as one line of JSON each. */
export function asNdjson(): Transform {
  return new Transform({
    writableObjectMode: true,
    transform: (row: object, _encoding, done) => done(null, `${JSON.stringify(row)}\n`),
  })
}

/**
 * The text of the rows, ended as broken where the rows or bytes pass their limit or the query fails: never as a whole
 * file. Ends the query when the text is no longer wanted.
 */
export function capped(rows: Readable, text: Transform, { maxRows, maxBytes }: SqlLimits): Readable {
  let count = 0
  let size = 0
  const end = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length
      if (size > maxBytes)
        done(new StorageError('STORAGE_REFUSED', 'The rows are more bytes than this provider hands out.'))
      else done(null, chunk)
    },
  })
  const fail = () => end.destroy(new StorageError('STORAGE_REFUSED', 'The query ended before its last row.'))
  rows.on('data', () => {
    count += 1
    if (count > maxRows) fail()
  })
  rows.once('error', fail)
  text.once('error', fail)
  end.once('close', () => rows.destroy())
  return text.pipe(end)
}
