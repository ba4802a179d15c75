import type Database from 'libsql'
import type { Address, Hex } from 'viem'
import { firstRow, type Guard } from './sqlite-tools.js'
import type {
  Cursor,
  IndexChange,
  IndexedAsset,
  IndexedDatatoken,
  IndexedMetadata,
  IndexedNft,
  IndexStore,
  Price,
} from './store.js'

interface NftRow extends Omit<IndexedNft, 'tokenUri'> {
  token_uri: string
  price: string | null
}

interface AssetRow extends Omit<IndexedMetadata, 'txId' | 'from'> {
  chain_id: number
  tx_id: Hex
  sender: Address
}

type Row = Record<string, string | number | null>

/** The index tables of the embedded store. */
export function sqliteIndexStore(db: Database.Database, guarded: Guard): IndexStore {
  const sql = statements(db)

  const apply: { [K in IndexChange['kind']]: (chainId: number, change: Extract<IndexChange, { kind: K }>) => void } = {
    nft: (chainId, { nft }) => run(sql.nft, { chainId, ...nft }),
    datatoken: (chainId, { datatoken }) => run(sql.datatoken, { chainId, ...datatoken }),
    metadata: (chainId, { metadata }) => run(sql.metadata, { chainId, ...metadata }),
    state: (chainId, { nft, state }) => run(sql.state, { chainId, nft, state }),
    order: (chainId, { datatoken }) => run(sql.order, { chainId, datatoken }),
    facts: (chainId, { facts }) => run(sql.facts, { chainId, ...facts, price: JSON.stringify(facts.price) }),
  }
  const commit = db.transaction((chainId: number, changes: IndexChange[], cursor: Cursor) => {
    for (const change of changes) apply[change.kind](chainId, change as never)
    run(sql.moveCursor, { chainId, ...cursor })
  })
  const reset = db.transaction((chainId: number) => {
    for (const table of ['index_cursor', 'index_nft', 'index_datatoken', 'index_asset'])
      db.prepare(`DELETE FROM ${table} WHERE chain_id = ?`).run(chainId)
  })

  function asset(did: string): IndexedAsset | undefined {
    const row = firstRow<AssetRow>(sql.asset, did)
    if (!row) return undefined
    const { chain_id: chainId, tx_id: txId, sender: from, ...rest } = row
    const nft = firstRow<NftRow>(sql.findNft, chainId, row.nft) as NftRow
    return {
      chainId,
      nft: nftOf(nft),
      datatokens: sql.datatokensOf.all(chainId, row.nft) as (IndexedDatatoken & { orders: number })[],
      metadata: { ...rest, txId, from },
      price: nft.price === null ? null : (JSON.parse(nft.price) as Price | null),
    }
  }

  return {
    cursor: (chainId) => guarded(() => firstRow<Cursor>(sql.cursor, chainId)),
    commit: (chainId, changes, cursor) => guarded(() => commit.immediate(chainId, changes, cursor)),
    reset: (chainId) => guarded(() => reset.immediate(chainId)),
    nft: (chainId, address) =>
      guarded(() => {
        const row = firstRow<NftRow>(sql.findNft, chainId, address)
        return row && nftOf(row)
      }),
    datatoken: (chainId, address) => guarded(() => firstRow<IndexedDatatoken>(sql.findDatatoken, chainId, address)),
    datatokensOf: (chainId, nft) =>
      guarded(() => (sql.datatokensOf.all(chainId, nft) as IndexedDatatoken[]).map(({ address }) => address)),
    asset: (did) => guarded(() => asset(did)),
  }
}

/** Binds by name; the store's objects may carry more fields than a statement uses, so only its own are passed. */
function run({ statement, names }: NamedStatement, values: object): void {
  statement.run(Object.fromEntries(names.map((name) => [name, (values as Row)[name] as string])))
}

interface NamedStatement {
  statement: Database.Statement
  names: string[]
}

function nftOf({ token_uri: tokenUri, address, name, symbol, owner, created }: NftRow): IndexedNft {
  return { address, name, symbol, tokenUri, owner, created }
}

function statements(db: Database.Database) {
  const named = (text: string): NamedStatement => ({
    statement: db.prepare(text),
    names: [...new Set([...text.matchAll(/:(\w+)/g)].map((match) => match[1] as string))],
  })
  return {
    cursor: db.prepare('SELECT block, hash FROM index_cursor WHERE chain_id = ?'),
    moveCursor: named(
      `INSERT INTO index_cursor (chain_id, block, hash) VALUES (:chainId, :block, :hash)
       ON CONFLICT (chain_id) DO UPDATE SET block = excluded.block, hash = excluded.hash`,
    ),
    nft: named(
      `INSERT INTO index_nft (chain_id, address, name, symbol, token_uri, owner, created)
       VALUES (:chainId, :address, :name, :symbol, :tokenUri, :owner, :created) ON CONFLICT DO NOTHING`,
    ),
    datatoken: named(
      `INSERT INTO index_datatoken (chain_id, address, nft, name, symbol, position)
       SELECT :chainId, :address, :nft, :name, :symbol,
         (SELECT count(*) FROM index_datatoken WHERE chain_id = :chainId AND nft = :nft)
       WHERE true ON CONFLICT DO NOTHING`,
    ),
    metadata: named(
      `INSERT INTO index_asset (did, chain_id, nft, state, ddo, reason, tx_id, block, sender, timestamp)
       VALUES (:did, :chainId, :nft, :state, :ddo, :reason, :txId, :block, :from, :timestamp)
       ON CONFLICT (did) DO UPDATE SET state = excluded.state, ddo = excluded.ddo, reason = excluded.reason,
         tx_id = excluded.tx_id, block = excluded.block, sender = excluded.sender, timestamp = excluded.timestamp`,
    ),
    state: named('UPDATE index_asset SET state = :state WHERE chain_id = :chainId AND nft = :nft'),
    order: named('UPDATE index_datatoken SET orders = orders + 1 WHERE chain_id = :chainId AND address = :datatoken'),
    facts: named(
      `UPDATE index_nft SET owner = :owner, token_uri = :tokenUri, price = :price
       WHERE chain_id = :chainId AND address = :nft`,
    ),
    findNft: db.prepare('SELECT * FROM index_nft WHERE chain_id = ? AND address = ?'),
    findDatatoken: db.prepare(
      'SELECT address, nft, name, symbol FROM index_datatoken WHERE chain_id = ? AND address = ?',
    ),
    datatokensOf: db.prepare(
      `SELECT address, nft, name, symbol, orders FROM index_datatoken WHERE chain_id = ? AND nft = ? ORDER BY position`,
    ),
    asset: db.prepare(
      `SELECT chain_id, nft, did, state, ddo, reason, tx_id, block, sender, timestamp FROM index_asset WHERE did = ?`,
    ),
  }
}
