import type { IndexedMetadata } from '../../ddo/indexed.js'
import { StartError } from '../../errors.js'
import type { Address } from '../../hex.js'
import { unpacked } from '../packed.js'
import { type Result, sql, type Value } from '../sql.js'
import type { Cursor, IndexRow } from '../store.js'
import { metadataOf, nftOf } from '../tables/assets.js'
import type { RowKind } from '../tables/undo.js'
import { BatchSize } from './batch-size.js'
import { type Database, nameOf } from './place.js'
import { SCHEMA_VERSION } from './schema.js'
import { openSnapshot, type Snapshot } from './snapshot.js'

type Row = Result['rows'][number]

/** The index of a chain as of its last final block, from one snapshot of a database. */
export interface FinalIndex {
  chainId: number
  /** The last block that no reorganisation which the index can roll back replaces. */
  checkpoint: Cursor
  counts: Record<IndexRow['kind'], number>
  /**
   * The rows by NFT, whose addresses are in bytewise order: the NFT, its datatokens in the order of their creation, and
   * its asset. Rows are read as they are asked for.
   */
  rows(): AsyncGenerator<IndexRow>
  close(): Promise<void>
}

const LIVE = sql("SELECT id, chain_id FROM index_reading WHERE role = 'live' ORDER BY chain_id")
const CHECKPOINT = sql('SELECT block, hash FROM index_checkpoint WHERE chain_id = :id ORDER BY block LIMIT 1')
const CHANGED = sql(
  `SELECT kind, id AS row_id, min(block) AS block FROM index_undo WHERE chain_id = :id AND block > :block GROUP BY kind, id`,
)
const BEFORE = sql(
  'SELECT before FROM index_undo WHERE chain_id = :id AND block = :block AND kind = :kind AND id = :rowId',
)
const COUNT_NFTS = sql('SELECT count(*) AS n FROM index_nft WHERE chain_id = :id')
const COUNT_DATATOKENS = sql('SELECT count(*) AS n FROM index_datatoken WHERE chain_id = :id')
const COUNT_ASSETS = sql('SELECT count(*) AS n FROM index_asset WHERE chain_id = :id')

/** The tables in the order of the rows, and the column that identifies a row of each within its chain. */
const TABLES = {
  nft: { table: 'index_nft', nft: 'address', order: ['address'], id: 'address' },
  datatoken: { table: 'index_datatoken', nft: 'nft', order: ['nft', 'position'], id: 'address' },
  asset: { table: 'index_asset', nft: 'nft', order: ['nft'], id: 'nft' },
} as const satisfies Record<RowKind, object>

/**
 * Opens the index of a chain for reading, while the service may write; `chainId` may be omitted where there is one chain.
 * Throws StartError.
 */
export async function openFinalIndex(place: Database, chainId: number | undefined): Promise<FinalIndex> {
  const snapshot = await openSnapshot(place)
  try {
    if (snapshot.version === 0) throw new StartError([`${nameOf(place)} holds no state of Tidegate.`])
    if (snapshot.version !== SCHEMA_VERSION)
      throw new StartError([`${nameOf(place)} is used by another version of Tidegate: export with that.`])
    const generation = await generationOf(snapshot, chainId)
    return await finalIndex(snapshot, generation)
  } catch (error) {
    await snapshot.close()
    throw error
  }
}

async function generationOf({ run }: Snapshot, chainId: number | undefined) {
  const live = (await run(LIVE())).rows as { id: number; chain_id: number }[]
  const chains = live.map((row) => row.chain_id)
  if (live.length === 0) throw new StartError(['the index is empty: there is nothing to export.'])
  const found = chainId === undefined && live.length === 1 ? live[0] : live.find((row) => row.chain_id === chainId)
  if (found) return found
  throw new StartError([
    chainId === undefined
      ? `--chain: the index has chains ${chains.join(', ')}: name one.`
      : `--chain: chain ${chainId} is not in the index: it has chain ${chains.join(', ')}.`,
  ])
}

async function finalIndex(
  snapshot: Snapshot,
  { id, chain_id: chainId }: { id: number; chain_id: number },
): Promise<FinalIndex> {
  const { run } = snapshot
  const [checkpoint] = (await run(CHECKPOINT({ id }))).rows as unknown as Cursor[]
  if (!checkpoint) throw new StartError([`the index of chain ${chainId} has no checkpoint: run \`tidegate reindex\`.`])
  const changed = await FinalRows.of(snapshot, id, checkpoint.block)
  const count = async (query: typeof COUNT_NFTS, kind: RowKind) =>
    Number((await run(query({ id }))).rows[0]?.n) - (await changed.added(kind))
  return {
    chainId,
    checkpoint,
    counts: {
      nft: await count(COUNT_NFTS, 'nft'),
      datatoken: await count(COUNT_DATATOKENS, 'datatoken'),
      asset: await count(COUNT_ASSETS, 'asset'),
    },
    rows: () => inOrder(snapshot, id, changed),
    close: () => snapshot.close(),
  }
}

/** What the rows were at the checkpoint, by the undo data: rows that were changed or added after it are few. */
class FinalRows {
  private constructor(
    private readonly snapshot: Snapshot,
    private readonly id: number,
    /** The first change of each row after the checkpoint. */
    private readonly first: ReadonlyMap<string, number>,
  ) {}

  static async of(snapshot: Snapshot, id: number, block: number): Promise<FinalRows> {
    const { rows } = await snapshot.run(CHANGED({ id, block }))
    return new FinalRows(
      snapshot,
      id,
      new Map(rows.map((row) => [`${row.kind} ${row.row_id}`, Number(row.block)] as const)),
    )
  }

  /** The number of rows of a kind that did not exist at the checkpoint. */
  async added(kind: RowKind): Promise<number> {
    let count = 0
    for (const key of this.first.keys()) {
      const [of, rowId] = key.split(' ') as [RowKind, string]
      if (of === kind && (await this.before(kind, rowId)) === null) count += 1
    }
    return count
  }

  /** The row as it was; undefined where it did not exist. */
  async at(kind: RowKind, row: Row): Promise<Row | undefined> {
    const rowId = row[TABLES[kind].id] as string
    if (!this.first.has(`${kind} ${rowId}`)) return row
    const before = await this.before(kind, rowId)
    return before === null ? undefined : (JSON.parse(unpacked(before)) as Row)
  }

  private async before(kind: RowKind, rowId: string): Promise<string | null> {
    const block = this.first.get(`${kind} ${rowId}`) as number
    const { rows } = await this.snapshot.run(BEFORE({ id: this.id, block, kind, rowId }))
    return (rows[0]?.before ?? null) as string | null
  }
}

async function* inOrder(snapshot: Snapshot, id: number, final: FinalRows): AsyncGenerator<IndexRow> {
  const datatokens = new Merged(read(snapshot, 'datatoken', id))
  const assets = new Merged(read(snapshot, 'asset', id))
  for await (const found of read(snapshot, 'nft', id)) {
    const nft = found.address as Address
    const row = await final.at('nft', found)
    if (row) yield { kind: 'nft', nft: nftOf(row) }
    for await (const datatoken of datatokens.of(nft)) {
      const { address, name, symbol, orders } = (await final.at('datatoken', datatoken)) ?? {}
      if (address) yield { kind: 'datatoken', datatoken: { address, nft, name, symbol, orders } } as IndexRow
    }
    for await (const asset of assets.of(nft)) {
      const before = await final.at('asset', asset)
      if (before) yield { kind: 'asset', metadata: metadataOf(before) as IndexedMetadata }
    }
  }
}

/** Rows in the order of their NFTs, which are asked for in that order. */
class Merged {
  private next: Promise<IteratorResult<Row>> | undefined

  constructor(private readonly rows: AsyncGenerator<Row>) {}

  async *of(nft: string): AsyncGenerator<Row> {
    for (;;) {
      this.next ??= this.rows.next()
      const { done, value } = await this.next
      // those of NFTs before it belong to none
      if (done || (value.nft as string) > nft) return
      this.next = undefined
      if (value.nft === nft) yield value
    }
  }
}

/** Reads a table in the bytewise order of addresses. */
async function* read(snapshot: Snapshot, kind: RowKind, id: number): AsyncGenerator<Row> {
  const next = snapshot.dialect === 'postgres' ? byCursor(snapshot, kind, id) : byKey(snapshot, kind, id)
  const size = new BatchSize()
  for (;;) {
    const limit = size.rows
    const rows = await next(limit)
    size.noted(rows)
    yield* rows
    if (rows.length < limit) return
  }
}

/** PostgreSQL orders text by the rules of a language, so the bytewise order takes a sort, of which a cursor makes one. */
function byCursor({ run }: Snapshot, kind: RowKind, id: number): (limit: number) => Promise<Row[]> {
  const { table, order } = TABLES[kind]
  const [first, ...others] = order
  const by = [`${first} COLLATE "C"`, ...others].join(', ')
  let isOpen = false
  return async (limit) => {
    const text = `DECLARE ${table}_rows NO SCROLL CURSOR FOR SELECT * FROM ${table} WHERE chain_id = ? ORDER BY ${by}`
    if (!isOpen) await run({ text, values: [id] })
    isOpen = true
    return (await run({ text: `FETCH ${limit} FROM ${table}_rows`, values: [] })).rows
  }
}

function byKey({ run }: Snapshot, kind: RowKind, id: number): (limit: number) => Promise<Row[]> {
  const { table, order } = TABLES[kind]
  const by = order.join(', ')
  let after: Value[] | undefined
  return async (limit) => {
    const beyond = after ? `AND (${by}) > (${order.map(() => '?').join(', ')})` : ''
    const text = `SELECT * FROM ${table} WHERE chain_id = ? ${beyond} ORDER BY ${by} LIMIT ?`
    const { rows } = await run({ text, values: [id, ...(after ?? []), limit] })
    const last = rows.at(-1)
    if (last) after = order.map((column) => last[column] as Value)
    return rows
  }
}
