import type { Table } from '../../state/samples/table.js'
import { samplesText } from '../../text/terms.js'

/** The beginning of a table. Its first row holds the names of the columns. */
export function SampleTable({ table, name }: { table: Omit<Table, 'kind'>; name: string }) {
  const { head, rows, columns, hasMore } = table
  const words = samplesText
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it */}
      <section class="table-frame sample-table" tabIndex={0} aria-label={words.table(name)}>
        <table>
          <thead>
            <tr>
              {head.map((cell, at) => (
                <th key={at} scope="col" dir="auto">
                  {cell || words.column(at + 1)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, line) => (
              <tr key={line}>
                {row.map((cell, at) => (
                  <td key={at} dir="auto">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      <p class="muted small">
        {[
          ...(hasMore ? [words.moreRows(rows.length)] : []),
          ...(columns > head.length ? [words.moreColumns(head.length, columns)] : []),
        ].join(' ')}
      </p>
    </>
  )
}
