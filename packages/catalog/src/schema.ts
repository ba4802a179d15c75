import type { Tables } from '@tidegate/database'
import { INDEXED_PATHS } from './constants.js'

/** The index: `chain_id` of its rows is the id of a generation, but in `index_reading` that of the chain. */
const INDEX = `
  CREATE TABLE index_reading (
    id BIGINT PRIMARY KEY, chain_id BIGINT NOT NULL, role TEXT NOT NULL, wanted BIGINT NOT NULL,
    -- another one with every change of what is found in the generation
    version BIGINT NOT NULL DEFAULT 0
  );
  CREATE UNIQUE INDEX index_reading_by_role ON index_reading (chain_id, role) WHERE role <> 'old';
  CREATE TABLE index_cursor (
    chain_id BIGINT PRIMARY KEY, block BIGINT NOT NULL, hash TEXT NOT NULL,
    -- the position inside a block, and whether a rollback has begun
    part_block BIGINT, part_hash TEXT, part_log BIGINT, undoing BIGINT NOT NULL DEFAULT 0,
    -- the position up to which the current format has written all rows (index/tables/format.ts)
    format_mark TEXT
  );
  CREATE TABLE index_checkpoint (
    chain_id BIGINT NOT NULL, block BIGINT NOT NULL, hash TEXT NOT NULL,
    -- what was read since the checkpoint before, for the comparison with a second reading
    events BIGINT, digest TEXT,
    PRIMARY KEY (chain_id, block)
  );
  CREATE TABLE index_undo (
    chain_id BIGINT NOT NULL, block BIGINT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT,
    PRIMARY KEY (chain_id, block, kind, id)
  );
  CREATE INDEX index_undo_by_row ON index_undo (chain_id, kind, id, block);
  CREATE TABLE index_nft (
    chain_id BIGINT NOT NULL, address TEXT NOT NULL, name TEXT NOT NULL, symbol TEXT NOT NULL,
    token_uri TEXT NOT NULL, owner TEXT NOT NULL, created TEXT NOT NULL,
    PRIMARY KEY (chain_id, address)
  );
  CREATE INDEX index_nft_by_owner ON index_nft (owner);
  CREATE TABLE index_datatoken (
    chain_id BIGINT NOT NULL, address TEXT NOT NULL, nft TEXT NOT NULL, name TEXT NOT NULL, symbol TEXT NOT NULL,
    orders BIGINT NOT NULL DEFAULT 0, position BIGINT NOT NULL,
    PRIMARY KEY (chain_id, address)
  );
  CREATE INDEX index_datatoken_by_nft ON index_datatoken (chain_id, nft, position);
  CREATE TABLE index_asset (
    did TEXT NOT NULL, chain_id BIGINT NOT NULL, nft TEXT NOT NULL, state BIGINT NOT NULL,
    -- a long document is compressed; size: bytes of the plain one
    ddo TEXT, size BIGINT, services TEXT, encrypted BIGINT NOT NULL, reason TEXT,
    tx_id TEXT NOT NULL, block BIGINT NOT NULL, sender TEXT NOT NULL, timestamp BIGINT NOT NULL,
    PRIMARY KEY (did, chain_id)
  );
  CREATE UNIQUE INDEX index_asset_by_nft ON index_asset (chain_id, nft);
  CREATE TABLE index_order (
    chain_id BIGINT NOT NULL, block BIGINT NOT NULL, log BIGINT NOT NULL, tx_id TEXT NOT NULL, datatoken TEXT NOT NULL,
    consumer TEXT NOT NULL, payer TEXT NOT NULL, timestamp BIGINT NOT NULL, service BIGINT, started TEXT,
    PRIMARY KEY (chain_id, block, log)
  ) STORED_BY_KEY;
  CREATE INDEX index_order_by_consumer ON index_order (consumer, timestamp, block, log, chain_id);
  CREATE INDEX index_order_by_payer ON index_order (payer, timestamp, block, log, chain_id);
  CREATE INDEX index_order_by_datatoken ON index_order (datatoken, timestamp, block, log, chain_id);
  CREATE INDEX index_order_by_tx ON index_order (tx_id, datatoken, started, block, log, chain_id);
  -- exchange and dispenser contracts, with the block in which each was first named
  CREATE TABLE index_market (
    chain_id BIGINT NOT NULL, address TEXT NOT NULL, block BIGINT NOT NULL, PRIMARY KEY (chain_id, address)
  );
  CREATE TABLE index_offer (
    chain_id BIGINT NOT NULL, id TEXT NOT NULL, nft TEXT NOT NULL, datatoken TEXT NOT NULL, type TEXT NOT NULL,
    contract TEXT NOT NULL, token TEXT, exchange TEXT, price TEXT NOT NULL, active BIGINT NOT NULL,
    block BIGINT NOT NULL, log BIGINT NOT NULL, PRIMARY KEY (chain_id, id)
  );
  CREATE INDEX index_offer_by_nft ON index_offer (chain_id, nft, active, type DESC, block, log);
  `

/**
 * Tables of search in both databases. `findable` of a document without search rows: 0 if searches are refused until they are built; 1, or 2
 * for a long document, if searches continue without it.
 */
const SEARCH = `
  CREATE UNIQUE INDEX search_document_by_nft ON search_document (chain_id, nft);
  CREATE INDEX search_document_by_did ON search_document (did);
  CREATE INDEX search_value_by_price ON search_value (path, txt, num, doc DESC) WHERE path = ${INDEXED_PATHS.price};
  CREATE INDEX search_value_by_price_down ON search_value (path, txt, num DESC, doc DESC) WHERE path = ${INDEXED_PATHS.price};
  CREATE INDEX search_value_by_name_4 ON search_value (txt, doc DESC) WHERE path = ${INDEXED_PATHS.names[0]} AND num IS NULL;
  CREATE INDEX search_value_by_name_5 ON search_value (txt, doc DESC) WHERE path = ${INDEXED_PATHS.names[1]} AND num IS NULL;
  CREATE TABLE search_pending (
    chain_id BIGINT NOT NULL, nft TEXT NOT NULL, findable BIGINT NOT NULL DEFAULT 0, PRIMARY KEY (chain_id, nft)
  );
  CREATE INDEX search_pending_missing ON search_pending (chain_id) WHERE findable = 0;
  `

const SEARCH_OF = {
  sqlite: `
  CREATE TABLE search_document (id INTEGER PRIMARY KEY, chain_id BIGINT NOT NULL, nft TEXT NOT NULL, did TEXT NOT NULL);
  CREATE VIRTUAL TABLE search_text USING fts5(
    text0, text1, text2, text3, text4, text5, text6, text7, others, marks,
    content = '', contentless_delete = 1, tokenize = 'ascii'
  );
  INSERT INTO search_text (search_text, rank) VALUES ('automerge', 8);
  -- two parts of the full-text index that are about as large are enough to be merged in the background
  INSERT INTO search_text (search_text, rank) VALUES ('usermerge', 2);
  CREATE TABLE search_value (
    doc INTEGER NOT NULL, path INTEGER NOT NULL, n INTEGER NOT NULL, num REAL, txt TEXT, PRIMARY KEY (doc, path, n)
  ) WITHOUT ROWID;
  CREATE INDEX search_value_by_num ON search_value (path, num) WHERE num IS NOT NULL;
  `,
  // slices, each with an index of its own, of which a search reads no more than it needs
  postgres: `
  CREATE TABLE search_document (id BIGINT PRIMARY KEY, chain_id BIGINT NOT NULL, nft TEXT NOT NULL, did TEXT NOT NULL);
  CREATE TABLE search_text (
    id BIGINT NOT NULL, slice SMALLINT NOT NULL, tsv TSVECTOR NOT NULL, PRIMARY KEY (id, slice)
  ) PARTITION BY LIST (slice);
  ${[1, 2, 3, 4, 5, 6, 7, 8]
    .map((slice) => `CREATE TABLE search_text_${slice} PARTITION OF search_text FOR VALUES IN (${slice});`)
    .join('\n  ')}
  CREATE INDEX search_text_by_token ON search_text USING gin (tsv) WITH (fastupdate = off);
  CREATE TABLE search_value (
    doc BIGINT NOT NULL, path BIGINT NOT NULL, n BIGINT NOT NULL, num DOUBLE PRECISION, txt BYTE_ORDERED,
    PRIMARY KEY (doc, path, n)
  );
  CREATE INDEX search_value_by_num ON search_value (path, num, doc) WHERE num IS NOT NULL;
  `,
}

/** Assets that the operator has taken down, and orders that webhooks report until they are final. */
const OTHERS = `
  -- by the hash that all DIDs of a data NFT end with
  CREATE TABLE takedowns (
    hash BYTE_ORDERED PRIMARY KEY, did TEXT NOT NULL, reason TEXT NOT NULL, at BIGINT NOT NULL, ended_at BIGINT,
    change BIGINT NOT NULL
  ) STORED_BY_KEY;
  CREATE INDEX takedowns_by_change ON takedowns (change);
  -- up to which block orders were reported
  CREATE TABLE sale_marks (chain_id BIGINT PRIMARY KEY, block BIGINT NOT NULL, since BIGINT NOT NULL);
  CREATE TABLE reported_orders (
    chain_id BIGINT NOT NULL, tx_id TEXT NOT NULL, position BIGINT NOT NULL, block BIGINT NOT NULL, log BIGINT NOT NULL,
    body TEXT NOT NULL, PRIMARY KEY (chain_id, tx_id, position)
  ) STORED_BY_KEY;
  CREATE INDEX reported_orders_by_place ON reported_orders (chain_id, block, log);
  `

/** The tables of index, search, takedowns and sales. */
export const CATALOG_TABLES: Tables = {
  owner: 'catalog',
  migrations: [
    {
      sqlite: INDEX + SEARCH_OF.sqlite + SEARCH + OTHERS,
      postgres: INDEX + SEARCH_OF.postgres + SEARCH + OTHERS,
    },
  ],
}
