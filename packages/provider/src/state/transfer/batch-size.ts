import type { Result } from '@tidegate/database'
import { PROVIDER_LIMITS } from '../../limits.js'

/** How many rows of a table to read at once: few where rows are large, since a document has up to a megabyte. */
export class BatchSize {
  private largest = 1

  get rows(): number {
    const { firstRows, rows, size } = PROVIDER_LIMITS.transfer
    return this.largest === 1 ? firstRows : Math.max(firstRows, Math.min(rows, Math.floor(size / this.largest)))
  }

  /** Records rows that were read. */
  noted(rows: Result['rows']): void {
    for (const row of rows) this.largest = Math.max(this.largest, sizeOf(row))
  }
}

function sizeOf(row: Result['rows'][number]): number {
  let size = 0
  for (const value of Object.values(row)) size += typeof value === 'string' ? value.length : 8
  return size
}
