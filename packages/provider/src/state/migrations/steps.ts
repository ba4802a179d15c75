import type { Dialect } from '@tidegate/database'

/**
 * Migrations from an empty database to the current schema, in order; a database records how many were applied. Append
 * only. The SQL is valid for both SQLite and PostgreSQL, or given for each.
 */
export const MIGRATIONS: readonly (string | Record<Dialect, string>)[] = [
  `
  CREATE TABLE nonces (address TEXT PRIMARY KEY, nonce BYTE_ORDERED NOT NULL);
  CREATE TABLE revocations (jti TEXT PRIMARY KEY, expires_at BIGINT NOT NULL);
  CREATE INDEX revocations_by_expiry ON revocations (expires_at);
  CREATE TABLE index_cursor (chain_id BIGINT PRIMARY KEY, block BIGINT NOT NULL, hash TEXT NOT NULL);
  CREATE TABLE index_nft (
    chain_id BIGINT NOT NULL, address TEXT NOT NULL, name TEXT NOT NULL, symbol TEXT NOT NULL,
    token_uri TEXT NOT NULL, owner TEXT NOT NULL, created TEXT NOT NULL, price TEXT,
    PRIMARY KEY (chain_id, address)
  );
  CREATE TABLE index_datatoken (
    chain_id BIGINT NOT NULL, address TEXT NOT NULL, nft TEXT NOT NULL, name TEXT NOT NULL, symbol TEXT NOT NULL,
    orders BIGINT NOT NULL DEFAULT 0, position BIGINT NOT NULL,
    PRIMARY KEY (chain_id, address)
  );
  CREATE INDEX index_datatoken_by_nft ON index_datatoken (chain_id, nft, position);
  CREATE TABLE index_asset (
    did TEXT PRIMARY KEY, chain_id BIGINT NOT NULL, nft TEXT NOT NULL, state BIGINT NOT NULL, ddo TEXT, reason TEXT,
    tx_id TEXT NOT NULL, block BIGINT NOT NULL, sender TEXT NOT NULL, timestamp BIGINT NOT NULL
  );
  CREATE UNIQUE INDEX index_asset_by_nft ON index_asset (chain_id, nft);
  `,
  // the index gets checkpoints and undo rows, and is read again; owner and price are requested on demand
  `
  ALTER TABLE index_nft DROP COLUMN price;
  DELETE FROM index_cursor;
  DELETE FROM index_nft;
  DELETE FROM index_datatoken;
  DELETE FROM index_asset;
  CREATE TABLE index_checkpoint (
    chain_id BIGINT NOT NULL, block BIGINT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (chain_id, block)
  );
  CREATE TABLE index_undo (
    chain_id BIGINT NOT NULL, block BIGINT NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, before TEXT,
    PRIMARY KEY (chain_id, block, kind, id)
  );
  `,
  `
  CREATE TABLE proofs (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, due_at BIGINT, attempts BIGINT NOT NULL, tx_id TEXT
  );
  CREATE INDEX proofs_by_due ON proofs (due_at);
  `,
  `
  CREATE TABLE usage_windows (id TEXT PRIMARY KEY, started BIGINT NOT NULL, used BIGINT NOT NULL);
  `,
  // one B-tree instead of a table and its index: consuming a nonce touches half the pages
  {
    sqlite: `
    CREATE TABLE nonces_by_address (address TEXT PRIMARY KEY, nonce TEXT NOT NULL) WITHOUT ROWID;
    INSERT INTO nonces_by_address SELECT address, nonce FROM nonces;
    DROP TABLE nonces;
    ALTER TABLE nonces_by_address RENAME TO nonces;
    `,
    postgres: '',
  },
  // from now on quotes name their chain and expire; paid orders under older ones stay valid
  `
  CREATE TABLE moments (name TEXT PRIMARY KEY, at BIGINT NOT NULL);
  INSERT INTO moments (name, at) VALUES ('quotes end', SECONDS_NOW);
  `,
  // contract wallets have nonces per chain; their earlier ones stay in `nonces` and still apply
  {
    sqlite: `
    CREATE TABLE wallet_nonces (
      address TEXT NOT NULL, chain_id BIGINT NOT NULL, nonce BYTE_ORDERED NOT NULL, PRIMARY KEY (address, chain_id)
    ) WITHOUT ROWID;
    `,
    postgres: `
    CREATE TABLE wallet_nonces (
      address TEXT NOT NULL, chain_id BIGINT NOT NULL, nonce BYTE_ORDERED NOT NULL, PRIMARY KEY (address, chain_id)
    );
    `,
  },
  // subjects with an on-chain proof, and the number of proofs per day
  `
  CREATE TABLE proven (subject TEXT PRIMARY KEY);
  CREATE TABLE proof_days (day BIGINT PRIMARY KEY, used BIGINT NOT NULL);
  `,
  // the id of this state, those moved into it, and its successor: the roles are those of tables/identity.ts
  `
  CREATE TABLE identity (id TEXT PRIMARY KEY, role TEXT NOT NULL);
  `,
  // whether a document is encrypted on the chain; earlier ones count as encrypted until they are read again
  `
  ALTER TABLE index_asset ADD COLUMN encrypted BIGINT NOT NULL DEFAULT 1;
  `,
  // leases of the tasks that only one instance may run: holder, server session, and expiry in milliseconds since 1970
  {
    sqlite: '',
    postgres: `
    CREATE TABLE leases (task TEXT PRIMARY KEY, holder TEXT NOT NULL, session BIGINT NOT NULL, ends BIGINT NOT NULL);
    `,
  },
  // generations of the index: from here on, chain_id of the index's rows is the id of a generation
  {
    sqlite: `
    CREATE TABLE index_reading (
      id BIGINT PRIMARY KEY, chain_id BIGINT NOT NULL, role TEXT NOT NULL, wanted BIGINT NOT NULL
    );
    CREATE UNIQUE INDEX index_reading_by_role ON index_reading (chain_id, role) WHERE role <> 'old';
    INSERT INTO index_reading (id, chain_id, role, wanted) SELECT chain_id, chain_id, 'live', 0 FROM index_cursor;
    CREATE TABLE index_asset_by_reading (
      did TEXT NOT NULL, chain_id BIGINT NOT NULL, nft TEXT NOT NULL, state BIGINT NOT NULL, ddo TEXT, reason TEXT,
      tx_id TEXT NOT NULL, block BIGINT NOT NULL, sender TEXT NOT NULL, timestamp BIGINT NOT NULL,
      encrypted BIGINT NOT NULL DEFAULT 1, PRIMARY KEY (did, chain_id)
    );
    INSERT INTO index_asset_by_reading
      SELECT did, chain_id, nft, state, ddo, reason, tx_id, block, sender, timestamp, encrypted FROM index_asset;
    DROP TABLE index_asset;
    ALTER TABLE index_asset_by_reading RENAME TO index_asset;
    CREATE UNIQUE INDEX index_asset_by_nft ON index_asset (chain_id, nft);
    `,
    postgres: `
    CREATE TABLE index_reading (
      id BIGINT PRIMARY KEY, chain_id BIGINT NOT NULL, role TEXT NOT NULL, wanted BIGINT NOT NULL
    );
    CREATE UNIQUE INDEX index_reading_by_role ON index_reading (chain_id, role) WHERE role <> 'old';
    INSERT INTO index_reading (id, chain_id, role, wanted) SELECT chain_id, chain_id, 'live', 0 FROM index_cursor;
    ALTER TABLE index_asset DROP CONSTRAINT index_asset_pkey;
    ALTER TABLE index_asset ADD PRIMARY KEY (did, chain_id);
    `,
  },
  // when this service took over from another one, in milliseconds since 1970: one row, or none
  `
  CREATE TABLE cut_over (id BIGINT PRIMARY KEY, at BIGINT NOT NULL);
  `,
  // the search index (packages/catalog/src/search/); existing documents are added in the background
  {
    sqlite: `
    CREATE TABLE search_document (id INTEGER PRIMARY KEY, chain_id BIGINT NOT NULL, nft TEXT NOT NULL, did TEXT NOT NULL);
    CREATE UNIQUE INDEX search_document_by_nft ON search_document (chain_id, nft);
    CREATE INDEX search_document_by_did ON search_document (did);
    CREATE VIRTUAL TABLE search_text USING fts5(
      text0, text1, text2, text3, text4, text5, text6, text7, others, marks,
      content = '', contentless_delete = 1, tokenize = 'ascii'
    );
    INSERT INTO search_text (search_text, rank) VALUES ('automerge', 8);
    CREATE TABLE search_value (
      doc INTEGER NOT NULL, path INTEGER NOT NULL, n INTEGER NOT NULL, num REAL, txt TEXT, PRIMARY KEY (doc, path, n)
    ) WITHOUT ROWID;
    CREATE INDEX search_value_by_num ON search_value (path, num) WHERE num IS NOT NULL;
    CREATE TABLE search_pending (chain_id BIGINT NOT NULL, nft TEXT NOT NULL, PRIMARY KEY (chain_id, nft));
    INSERT INTO search_pending (chain_id, nft) SELECT chain_id, nft FROM index_asset;
    `,
    postgres: `
    CREATE TABLE search_document (id BIGINT PRIMARY KEY, chain_id BIGINT NOT NULL, nft TEXT NOT NULL, did TEXT NOT NULL);
    CREATE UNIQUE INDEX search_document_by_nft ON search_document (chain_id, nft);
    CREATE INDEX search_document_by_did ON search_document (did);
    CREATE TABLE search_text (id BIGINT PRIMARY KEY, tsv TSVECTOR NOT NULL);
    CREATE INDEX search_text_by_token ON search_text USING gin (tsv) WITH (fastupdate = off);
    CREATE TABLE search_value (
      doc BIGINT NOT NULL, path BIGINT NOT NULL, n BIGINT NOT NULL, num DOUBLE PRECISION, txt BYTE_ORDERED,
      PRIMARY KEY (doc, path, n)
    );
    CREATE INDEX search_value_by_num ON search_value (path, num) WHERE num IS NOT NULL;
    CREATE TABLE search_pending (chain_id BIGINT NOT NULL, nft TEXT NOT NULL, PRIMARY KEY (chain_id, nft));
    INSERT INTO search_pending (chain_id, nft) SELECT chain_id, nft FROM index_asset;
    `,
  },
  // deliveries, and the provider fees of orders; counters record the end of their window, since windows differ in length
  `
  CREATE TABLE deliveries (
    at BIGINT NOT NULL, id BIGINT NOT NULL, chain_id BIGINT NOT NULL, did TEXT NOT NULL, nft TEXT NOT NULL,
    service TEXT NOT NULL, file BIGINT NOT NULL, consumer TEXT NOT NULL, order_tx TEXT NOT NULL,
    bytes BIGINT NOT NULL, complete BIGINT NOT NULL, PRIMARY KEY (at, id)
  ) STORED_BY_KEY;
  CREATE TABLE order_fees (
    chain_id BIGINT NOT NULL, tx_id TEXT NOT NULL, datatoken TEXT NOT NULL, position BIGINT NOT NULL,
    at BIGINT NOT NULL, did TEXT NOT NULL, nft TEXT NOT NULL, service TEXT NOT NULL, consumer TEXT NOT NULL,
    token TEXT NOT NULL, amount TEXT NOT NULL, PRIMARY KEY (chain_id, tx_id, datatoken, position)
  ) STORED_BY_KEY;
  CREATE INDEX order_fees_by_time ON order_fees (at);
  ALTER TABLE usage_windows ADD COLUMN ends BIGINT NOT NULL DEFAULT 0;
  `,
  // another one with every change of what is found in a generation, so that searches know what they found before
  `
  ALTER TABLE index_reading ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
  `,
  // hosted files, what each publisher has, and which assets may use them
  `
  CREATE TABLE hosted_files (
    id BYTE_ORDERED PRIMARY KEY, owner TEXT NOT NULL, size BIGINT NOT NULL, received BIGINT NOT NULL,
    metadata TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, sha256 TEXT,
    completed_at BIGINT, used_at BIGINT, removed_at BIGINT, lock_holder TEXT, lock_until BIGINT NOT NULL,
    lock_wanted BIGINT NOT NULL
  );
  CREATE INDEX hosted_files_by_owner ON hosted_files (owner, id);
  CREATE TABLE hosted_totals (owner TEXT PRIMARY KEY, files BIGINT NOT NULL, bytes BIGINT NOT NULL);
  CREATE TABLE hosted_uses (
    file TEXT NOT NULL, chain_id BIGINT NOT NULL, nft TEXT NOT NULL, list TEXT NOT NULL,
    PRIMARY KEY (file, chain_id, nft, list)
  ) STORED_BY_KEY;
  `,
  // counts of orders leave the full-text index: documents are written anew in the background, and are found meanwhile
  `
  ALTER TABLE search_pending ADD COLUMN findable BIGINT NOT NULL DEFAULT 0;
  INSERT INTO search_pending (chain_id, nft, findable)
    SELECT chain_id, nft, 1 FROM search_document WHERE true ON CONFLICT DO NOTHING;
  CREATE INDEX search_pending_missing ON search_pending (chain_id) WHERE findable = 0;
  `,
  // whose hosted file was delivered
  `
  ALTER TABLE deliveries ADD COLUMN hosted_by TEXT;
  `,
  // where a hosted file is stored, and its SHA-256 so far: an upload can be resumed at any instance
  `
  ALTER TABLE hosted_files ADD COLUMN place TEXT;
  ALTER TABLE hosted_files ADD COLUMN hash TEXT;
  `,
  // PostgreSQL: search rows in slices, each with an index of its own, of which a search reads no more than it needs. Those of
  // before stay where they are, and are found, until they are written anew in the background
  {
    sqlite: '',
    postgres: `
    ALTER TABLE search_text RENAME TO search_text_0;
    ALTER INDEX search_text_by_token RENAME TO search_text_0_by_token;
    ALTER TABLE search_text_0 DROP CONSTRAINT search_text_pkey;
    ALTER TABLE search_text_0 ADD COLUMN slice SMALLINT NOT NULL DEFAULT 0;
    ALTER TABLE search_text_0 ADD PRIMARY KEY (id, slice);
    CREATE TABLE search_text (
      id BIGINT NOT NULL, tsv TSVECTOR NOT NULL, slice SMALLINT NOT NULL DEFAULT 0, PRIMARY KEY (id, slice)
    ) PARTITION BY LIST (slice);
    ALTER TABLE search_text ATTACH PARTITION search_text_0 FOR VALUES IN (0);
    ${[1, 2, 3, 4, 5, 6, 7, 8]
      .map((slice) => `CREATE TABLE search_text_${slice} PARTITION OF search_text FOR VALUES IN (${slice});`)
      .join('\n    ')}
    CREATE INDEX search_text_by_token ON search_text USING gin (tsv) WITH (fastupdate = off);
    INSERT INTO search_pending (chain_id, nft, findable)
      SELECT chain_id, nft, 1 FROM search_document WHERE true ON CONFLICT DO NOTHING;
    `,
  },
  // SQLite: two parts of the full-text index that are about as large are enough to be merged in the background
  { sqlite: "INSERT INTO search_text (search_text, rank) VALUES ('usermerge', 2);", postgres: '' },
  // the services of documents that are served as they are stored, which need not be parsed then; those of before are
  `
  ALTER TABLE index_asset ADD COLUMN services TEXT;
  `,
  // PostgreSQL: the kind of a document beside its words. Those of before are written anew in the background
  {
    sqlite: '',
    postgres: `
    ALTER TABLE search_text ADD COLUMN kind TEXT;
    INSERT INTO search_pending (chain_id, nft, findable)
      SELECT chain_id, nft, 1 FROM search_document WHERE true ON CONFLICT DO NOTHING;
    `,
  },
  // PostgreSQL: the name of a document beside its words, short enough to stay in the row. Rows without it are found, and written
  // anew in the background
  {
    sqlite: '',
    postgres: `
    ALTER TABLE search_text ADD COLUMN title TSVECTOR;
    ALTER TABLE search_text ALTER COLUMN title SET STORAGE MAIN;
    CREATE INDEX search_text_older ON search_text (id) WHERE title IS NULL;
    `,
  },
  // the position inside a block, a rollback in several transactions, the oldest undo row of each row, and the bytes of a
  // document, which is compressed if it is long
  `
  ALTER TABLE index_cursor ADD COLUMN part_block BIGINT;
  ALTER TABLE index_cursor ADD COLUMN part_hash TEXT;
  ALTER TABLE index_cursor ADD COLUMN part_log BIGINT;
  ALTER TABLE index_cursor ADD COLUMN undoing BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE index_asset ADD COLUMN size BIGINT;
  CREATE INDEX index_undo_by_row ON index_undo (chain_id, kind, id, block);
  `,
  // words inside text without spaces: documents are written anew in the background, and are found meanwhile by their other words.
  // PostgreSQL, which several instances share, tells the rows of each version of the tokens apart
  {
    sqlite: `
    INSERT INTO search_pending (chain_id, nft, findable)
      SELECT chain_id, nft, 1 FROM search_document WHERE true ON CONFLICT DO NOTHING;
    `,
    postgres: `
    ALTER TABLE search_text ADD COLUMN tokens SMALLINT;
    CREATE INDEX search_text_older_tokens ON search_text (id) WHERE tokens IS NULL;
    `,
  },
  // imports of index files are no more: what an interrupted one has left is deleted like any obsolete index
  `
  DELETE FROM index_cursor WHERE chain_id IN (SELECT id FROM index_reading WHERE role = 'import');
  UPDATE index_reading SET role = 'old' WHERE role = 'import';
  `,
  // PostgreSQL: the transaction that wrote the row. A dump that is loaded has the same value, but is written by another transaction
  {
    sqlite: '',
    postgres: `
    CREATE TABLE origin (transaction BIGINT NOT NULL);
    INSERT INTO origin VALUES (txid_current());
    `,
  },
  // uploads whose length is not declared yet, partial uploads, and the final ones that join them
  `
  ALTER TABLE hosted_files ADD COLUMN deferred BIGINT NOT NULL DEFAULT 0;
  ALTER TABLE hosted_files ADD COLUMN concat TEXT;
  ALTER TABLE hosted_files ADD COLUMN final TEXT;
  CREATE INDEX hosted_files_by_final ON hosted_files (final) WHERE final IS NOT NULL;
  `,
  // orders of each generation, and whether a generation has all of them: a live one without is rebuilt
  `
  CREATE TABLE index_order (
    chain_id BIGINT NOT NULL, block BIGINT NOT NULL, log BIGINT NOT NULL, tx_id TEXT NOT NULL, datatoken TEXT NOT NULL,
    consumer TEXT NOT NULL, payer TEXT NOT NULL, timestamp BIGINT NOT NULL, service BIGINT, started TEXT,
    PRIMARY KEY (chain_id, block, log)
  ) STORED_BY_KEY;
  CREATE INDEX index_order_by_consumer ON index_order (consumer, timestamp, block, log, chain_id);
  CREATE INDEX index_order_by_payer ON index_order (payer, timestamp, block, log, chain_id);
  CREATE INDEX index_order_by_datatoken ON index_order (datatoken, timestamp, block, log, chain_id);
  CREATE INDEX index_order_by_tx ON index_order (tx_id, datatoken, started, block, log, chain_id);
  ALTER TABLE index_reading ADD COLUMN orders BIGINT NOT NULL DEFAULT 1;
  UPDATE index_reading SET orders = 0;
  `,
  // offers of each generation, the exchange and dispenser contracts, and whether a generation has all offers
  `
  CREATE TABLE index_market (chain_id BIGINT NOT NULL, address TEXT NOT NULL, PRIMARY KEY (chain_id, address));
  CREATE TABLE index_offer (
    chain_id BIGINT NOT NULL, id TEXT NOT NULL, nft TEXT NOT NULL, datatoken TEXT NOT NULL, type TEXT NOT NULL,
    contract TEXT NOT NULL, token TEXT, exchange TEXT, price TEXT NOT NULL, active BIGINT NOT NULL,
    block BIGINT NOT NULL, log BIGINT NOT NULL, PRIMARY KEY (chain_id, id)
  );
  CREATE INDEX index_offer_by_nft ON index_offer (chain_id, nft, active, type DESC, block, log);
  ALTER TABLE index_reading ADD COLUMN offers BIGINT NOT NULL DEFAULT 1;
  UPDATE index_reading SET offers = 0;
  `,
  // owners list their hidden assets
  'CREATE INDEX index_nft_by_owner ON index_nft (owner)',
  // the position up to which the current format has written all rows of a generation (packages/catalog/src/index/tables/format.ts). It
  // replaces orders and offers of index_reading, which were 1 for generations of instances of an earlier version as well
  `
  ALTER TABLE index_cursor ADD COLUMN format_mark TEXT;
  `,
  // whether a row counts as a delivery, or adds the bytes of ranges to one that another instance counts; and which row counts the
  // ranges of a file
  `
  ALTER TABLE deliveries ADD COLUMN counted BIGINT NOT NULL DEFAULT 1;
  CREATE TABLE range_deliveries (subject TEXT PRIMARY KEY, id BIGINT NOT NULL, begun_at BIGINT NOT NULL);
  CREATE INDEX range_deliveries_by_time ON range_deliveries (begun_at);
  `,
  // PostgreSQL: documents with equal numbers in their order, which the table's key gives in SQLite
  {
    sqlite: '',
    postgres: `
    DROP INDEX search_value_by_num;
    CREATE INDEX search_value_by_num ON search_value (path, num, doc) WHERE num IS NOT NULL;
    `,
  },
  // the token of the first price in the row of its amount, so that an index has the order of prices within a token. The paths are
  // stats.price.value and stats.price.tokenAddress. PostgreSQL finds rows of an earlier version, which its instances may still write
  {
    sqlite: `
    UPDATE search_value SET txt = (SELECT t.txt FROM search_value t WHERE t.doc = search_value.doc AND t.path = 61389514426295 AND t.n = 0)
      WHERE path = 231641109928259 AND num IS NOT NULL;
    DELETE FROM search_value WHERE path = 61389514426295 AND n = 0
      AND doc IN (SELECT doc FROM search_value WHERE path = 231641109928259 AND num IS NOT NULL);
    CREATE INDEX search_value_by_price ON search_value (path, txt, num, doc DESC) WHERE path = 231641109928259;
    CREATE INDEX search_value_by_price_down ON search_value (path, txt, num DESC, doc DESC) WHERE path = 231641109928259;
    `,
    postgres: `
    UPDATE search_value v SET txt = t.txt FROM search_value t
      WHERE v.path = 231641109928259 AND v.num IS NOT NULL AND t.doc = v.doc AND t.path = 61389514426295 AND t.n = 0;
    DELETE FROM search_value t USING search_value v
      WHERE v.path = 231641109928259 AND v.num IS NOT NULL AND t.doc = v.doc AND t.path = 61389514426295 AND t.n = 0;
    CREATE INDEX search_value_by_price ON search_value (path, txt, num, doc DESC) WHERE path = 231641109928259;
    CREATE INDEX search_value_by_price_down ON search_value (path, txt, num DESC, doc DESC) WHERE path = 231641109928259;
    CREATE INDEX search_value_older_token ON search_value (doc) WHERE path = 61389514426295;
    `,
  },
  // a time is one word, and orders have one count: documents are written anew in the background, and are found meanwhile
  `
  INSERT INTO search_pending (chain_id, nft, findable)
    SELECT chain_id, nft, 1 FROM search_document WHERE true ON CONFLICT DO NOTHING;
  `,
  // names of assets in their order: metadata.name and credentialSubject.metadata.name
  `
  CREATE INDEX search_value_by_name_4 ON search_value (txt, doc DESC) WHERE path = 278681718115206 AND num IS NULL;
  CREATE INDEX search_value_by_name_5 ON search_value (txt, doc DESC) WHERE path = 152580924086190 AND num IS NULL;
  `,
  // what was read between two checkpoints, for the comparison with a second reading; the block in which a market was first named
  `
  ALTER TABLE index_checkpoint ADD COLUMN events BIGINT;
  ALTER TABLE index_checkpoint ADD COLUMN digest TEXT;
  ALTER TABLE index_market ADD COLUMN block BIGINT NOT NULL DEFAULT 0;
  `,
  // assets that the operator has taken down, by the hash that all DIDs of a data NFT end with
  `
  CREATE TABLE takedowns (
    hash BYTE_ORDERED PRIMARY KEY, did TEXT NOT NULL, reason TEXT NOT NULL, at BIGINT NOT NULL, ended_at BIGINT,
    change BIGINT NOT NULL
  ) STORED_BY_KEY;
  CREATE INDEX takedowns_by_change ON takedowns (change);
  `,
]
