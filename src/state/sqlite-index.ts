import type Database from 'libsql'
import type { Address, Hex } from 'viem'
import { type Binding, firstRow, type Guard, named, run } from './sqlite-tools.js'
import { undoJournal } from './sqlite-undo.js'
import type {
  Cursor,
  IndexChange,
  IndexedAsset,
  IndexedDatatoken,
  IndexedMetadata,
  IndexedNft,
  IndexStep,
  IndexStore,
} from './store.js'

interface NftRow extends Omit<IndexedNft, 'tokenUri'> {
  token_uri: string
}

interface AssetRow extends Omit<IndexedMetadata, 'txId' | 'from'> {
  chain_id: number
  tx_id: Hex
  sender: Address
}

const TABLES = ['index_cursor', 'index_nft', 'index_datatoken', 'index_asset', 'index_checkpoint', 'index_undo']

/** The index tables of the embedded store. */
export function sqliteIndexStore(db: Database.Database, guarded: Guard): IndexStore {
  const sql = statements(db)
  const undo = undoJournal(db)

  const apply: { [K in IndexChange['kind']]: (chainId: number, change: Extract<IndexChange, { kind: K }>) => void } = {
    nft: (chainId, { nft }) => run(sql.nft, { chainId, ...nft }),
    datatoken: (chainId, { datatoken }) => run(sql.datatoken, { chainId, ...datatoken }),
    metadata: (chainId, { metadata }) => run(sql.metadata, { chainId, ...metadata }),
    state: (chainId, { nft, state }) => run(sql.state, { chainId, nft, state }),
    order: (chainId, { datatoken }) => run(sql.order, { chainId, datatoken }),
  }
  const commit = db.transaction(({ chainId, from, to, changes, keepSince }: IndexStep) => {
    const now = firstRow<Cursor>(sql.cursor, chainId)
    if (now?.block !== from?.block || now?.hash !== from?.hash) return false
    for (const change of changes) {
      if (keepSince !== undefined) undo.keep(chainId, to.block, change)
      apply[change.kind](chainId, change as never)
    }
    run(sql.moveCursor, { chainId, ...to })
    // what was not kept cannot be taken back, so the checkpoints before it are void
    const base = keepSince === undefined ? to.block : firstRow<Cursor>(sql.checkpointAt, chainId, keepSince)?.block
    if (base !== undefined) {
      sql.dropCheckpoints.run(chainId, base)
      undo.forget(chainId, base)
    }
    run(sql.checkpoint, { chainId, ...to })
    return true
  })
  const rollback = db.transaction((chainId: number, to: Cursor) => {
    undo.takeBack(chainId, to.block)
    sql.dropLaterCheckpoints.run(chainId, to.block)
    run(sql.moveCursor, { chainId, ...to })
  })
  const reset = db.transaction((chainId: number) => {
    for (const table of TABLES) db.prepare(`DELETE FROM ${table} WHERE chain_id = ?`).run(chainId)
  })

  function asset(did: string): IndexedAsset | undefined {
    const row = firstRow<AssetRow>(sql.asset, did)
    if (!row) return undefined
    const { chain_id: chainId, tx_id: txId, sender: from, ...rest } = row
    return {
      chainId,
      nft: nftOf(firstRow<NftRow>(sql.findNft, chainId, row.nft) as NftRow),
      datatokens: sql.datatokensOf.all(chainId, row.nft) as (IndexedDatatoken & { orders: number })[],
      metadata: { ...rest, txId, from },
    }
  }

  return {
    cursor: (chainId) => guarded(() => firstRow<Cursor>(sql.cursor, chainId)),
    chains: () => guarded(() => sql.chains.all().map((row) => (row as { chain_id: number }).chain_id)),
    commit: (step) => guarded(() => commit.immediate(step)),
    checkpoints: (chainId) =>
      guarded(() => sql.checkpoints.all(chainId).map((row) => ({ ...(row as Cursor) })) as Cursor[]),
    rollback: (chainId, to) => guarded(() => rollback.immediate(chainId, to)),
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

function nftOf({ token_uri: tokenUri, address, name, symbol, owner, created }: NftRow): IndexedNft {
  return { address, name, symbol, tokenUri, owner, created }
}

function statements(db: Database.Database) {
  const write = (text: string): Binding => named(db, text)
  return {
    cursor: db.prepare('SELECT block, hash FROM index_cursor WHERE chain_id = ?'),
    chains: db.prepare('SELECT chain_id FROM index_cursor ORDER BY chain_id'),
    moveCursor: write(
      `INSERT INTO index_cursor (chain_id, block, hash) VALUES (:chainId, :block, :hash)
       ON CONFLICT (chain_id) DO UPDATE SET block = excluded.block, hash = excluded.hash`,
    ),
    checkpoint: write(
      `INSERT INTO index_checkpoint (chain_id, block, hash) VALUES (:chainId, :block, :hash)
       ON CONFLICT (chain_id, block) DO UPDATE SET hash = excluded.hash`,
    ),
    checkpoints: db.prepare('SELECT block, hash FROM index_checkpoint WHERE chain_id = ? ORDER BY block DESC'),
    checkpointAt: db.prepare(
      'SELECT block, hash FROM index_checkpoint WHERE chain_id = ? AND block <= ? ORDER BY block DESC LIMIT 1',
    ),
    dropCheckpoints: db.prepare('DELETE FROM index_checkpoint WHERE chain_id = ? AND block < ?'),
    dropLaterCheckpoints: db.prepare('DELETE FROM index_checkpoint WHERE chain_id = ? AND block > ?'),
    nft: write(
      `INSERT INTO index_nft (chain_id, address, name, symbol, token_uri, owner, created)
       VALUES (:chainId, :address, :name, :symbol, :tokenUri, :owner, :created) ON CONFLICT DO NOTHING`,
    ),
    datatoken: write(
      `INSERT INTO index_datatoken (chain_id, address, nft, name, symbol, position)
       SELECT :chainId, :address, :nft, :name, :symbol,
         (SELECT count(*) FROM index_datatoken WHERE chain_id = :chainId AND nft = :nft)
       WHERE true ON CONFLICT DO NOTHING`,
    ),
    metadata: write(
      `INSERT INTO index_asset (did, chain_id, nft, state, ddo, reason, tx_id, block, sender, timestamp)
       VALUES (:did, :chainId, :nft, :state, :ddo, :reason, :txId, :block, :from, :timestamp)
       ON CONFLICT (chain_id, nft) DO UPDATE SET did = excluded.did, state = excluded.state, ddo = excluded.ddo,
         reason = excluded.reason, tx_id = excluded.tx_id, block = excluded.block, sender = excluded.sender,
         timestamp = excluded.timestamp`,
    ),
    state: write('UPDATE index_asset SET state = :state WHERE chain_id = :chainId AND nft = :nft'),
    order: write('UPDATE index_datatoken SET orders = orders + 1 WHERE chain_id = :chainId AND address = :datatoken'),
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
