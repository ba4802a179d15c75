import type { Columns } from '../../state/samples/parquet.js'
import { samplesText } from '../../text/terms.js'
import { SampleTable } from './sample-table.js'

/** The columns of a file with types and statistics, a line each. */
export function SampleColumns({ sample: { columns, rows, all }, name }: { sample: Columns; name: string }) {
  const words = samplesText
  const table = {
    head: [...words.columnFacts],
    rows: columns.map(({ name, type, least, most, empty }) => [name, type, least, most, empty]),
    columns: words.columnFacts.length,
    hasMore: false,
  }
  return (
    <>
      <p class="muted small">{words.size(rows, all)}</p>
      <SampleTable table={table} name={name} />
      {columns.length < all && <p class="muted small">{words.moreColumns(columns.length, all)}</p>}
    </>
  )
}
