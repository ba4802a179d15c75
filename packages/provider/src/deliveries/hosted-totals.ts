import { type Query, type Result, sql, type Value } from '@tidegate/database'
import type { HostedPublisher, Period } from './delivery-store.js'

/** SQL of a sum as text: a sum may be too large for an exact JavaScript number. */
const text = (expression: string) => `CAST(${expression} AS TEXT)`

const NAMES = ['files', 'unfinished', 'stored', 'reserved', 'deliveries', 'delivered'] as const

const STATEMENT = sql(
  `SELECT owner, ${NAMES.map((name) => `${text(`sum(${name})`)} AS ${name}`).join(', ')} FROM (
     SELECT owner, 1 AS files, CASE WHEN completed_at IS NULL THEN 1 ELSE 0 END AS unfinished, received AS stored,
       CASE WHEN final IS NULL THEN size ELSE 0 END AS reserved, 0 AS deliveries, 0 AS delivered
     FROM hosted_files WHERE removed_at IS NULL
     UNION ALL
     SELECT hosted_by AS owner, 0, 0, 0, 0, counted, bytes
     FROM deliveries WHERE hosted_by IS NOT NULL AND at >= :since AND at < :until
   ) t GROUP BY owner ORDER BY owner`,
)

/** Returns the statement for the files of each publisher and their deliveries. */
export function hostedTotalsQuery({ since, until }: Period): Query {
  return STATEMENT({ since, until })
}

/** Reads the rows of the statement. */
export async function* hostedTotalsFrom(rows: AsyncIterable<Result['rows'][number]>): AsyncGenerator<HostedPublisher> {
  const whole = (value: Value | undefined) => BigInt(value as string)
  for await (const row of rows) {
    const sums = Object.fromEntries(NAMES.map((name) => [name, whole(row[name])]))
    yield { publisher: String(row.owner), ...sums } as unknown as HostedPublisher
  }
}
