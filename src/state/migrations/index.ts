/**
 * Steps from an empty database to the present one, in order; a database remembers how many it has had. Only ever
 * append. The SQL keeps to what SQLite and PostgreSQL both understand, or says each one's own.
 */
const MIGRATIONS: readonly (string | Record<Dialect, string>)[] = [
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
  // the index gets checkpoints and what it takes to go back to them, and is read anew; owner and price are asked when wanted
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
  // one tree in place of a table and its index: a nonce is consumed with half the pages touched
  {
    sqlite: `
    CREATE TABLE nonces_by_address (address TEXT PRIMARY KEY, nonce TEXT NOT NULL) WITHOUT ROWID;
    INSERT INTO nonces_by_address SELECT address, nonce FROM nonces;
    DROP TABLE nonces;
    ALTER TABLE nonces_by_address RENAME TO nonces;
    `,
    postgres: '',
  },
  // from now on quotes name their chain and have an end; orders under older ones, which are paid, stay good
  `
  CREATE TABLE moments (name TEXT PRIMARY KEY, at BIGINT NOT NULL);
  INSERT INTO moments (name, at) VALUES ('quotes end', SECONDS_NOW);
  `,
  // contract wallets have nonces by chain; what they used before stays where it is, and goes on to count
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
  // what was proven on the chain, and how many proofs a day had
  `
  CREATE TABLE proven (subject TEXT PRIMARY KEY);
  CREATE TABLE proof_days (day BIGINT PRIMARY KEY, used BIGINT NOT NULL);
  `,
  // which state this is, which others went into it, and where it went: the roles are those of tables/identity.ts
  `
  CREATE TABLE identity (id TEXT PRIMARY KEY, role TEXT NOT NULL);
  `,
  // whether a document is encrypted on the chain; those that were read before count as such until they are read anew
  `
  ALTER TABLE index_asset ADD COLUMN encrypted BIGINT NOT NULL DEFAULT 1;
  `,
  // which instance does what only one should do, by which session of the server, and until when, in milliseconds since 1970
  {
    sqlite: '',
    postgres: `
    CREATE TABLE leases (task TEXT PRIMARY KEY, holder TEXT NOT NULL, session BIGINT NOT NULL, ends BIGINT NOT NULL);
    `,
  },
  // a chain can be read again beside what is in use: from here on, chain_id of the index's rows is the id of a reading
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
]

export type Dialect = 'sqlite' | 'postgres'

/** What each database says in its own way: texts that are compared byte by byte, and the time, in seconds since 1970. */
const WORDS: Record<Dialect, Record<string, string>> = {
  sqlite: { BYTE_ORDERED: 'TEXT', SECONDS_NOW: "CAST(strftime('%s', 'now') AS INTEGER)" },
  postgres: { BYTE_ORDERED: 'TEXT COLLATE "C"', SECONDS_NOW: 'CAST(extract(epoch FROM now()) AS BIGINT)' },
}

/** The steps for a database. */
export function migrationsFor(dialect: Dialect): string[] {
  return MIGRATIONS.map((step) =>
    (typeof step === 'string' ? step : step[dialect]).replace(
      /\b(?:BYTE_ORDERED|SECONDS_NOW)\b/g,
      (word) => WORDS[dialect][word] as string,
    ),
  )
}
