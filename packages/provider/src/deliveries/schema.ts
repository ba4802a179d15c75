import type { Tables } from '@tidegate/database'

/** The tables of deliveries, of the provider fees of orders, and of proofs. */
export const DELIVERY_TABLES: Tables = {
  owner: 'deliveries',
  migrations: [
    `
  CREATE TABLE deliveries (
    at BIGINT NOT NULL, id BIGINT NOT NULL, chain_id BIGINT NOT NULL, did TEXT NOT NULL, nft TEXT NOT NULL,
    service TEXT NOT NULL, file BIGINT NOT NULL, consumer TEXT NOT NULL, order_tx TEXT NOT NULL,
    bytes BIGINT NOT NULL, complete BIGINT NOT NULL, hosted_by TEXT,
    -- whether the row counts as a delivery, or adds the bytes of ranges to one that another instance counts
    counted BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (at, id)
  ) STORED_BY_KEY;
  -- which row counts the ranges of a file
  CREATE TABLE range_deliveries (subject TEXT PRIMARY KEY, id BIGINT NOT NULL, begun_at BIGINT NOT NULL);
  CREATE INDEX range_deliveries_by_time ON range_deliveries (begun_at);
  CREATE TABLE order_fees (
    chain_id BIGINT NOT NULL, tx_id TEXT NOT NULL, datatoken TEXT NOT NULL, position BIGINT NOT NULL,
    at BIGINT NOT NULL, did TEXT NOT NULL, nft TEXT NOT NULL, service TEXT NOT NULL, consumer TEXT NOT NULL,
    token TEXT NOT NULL, amount TEXT NOT NULL, PRIMARY KEY (chain_id, tx_id, datatoken, position)
  ) STORED_BY_KEY;
  CREATE INDEX order_fees_by_time ON order_fees (at);
  CREATE TABLE proofs (
    id TEXT PRIMARY KEY, kind TEXT NOT NULL, body TEXT NOT NULL, due_at BIGINT, attempts BIGINT NOT NULL, tx_id TEXT
  );
  CREATE INDEX proofs_by_due ON proofs (due_at);
  -- subjects with an on-chain proof, and the number of proofs per day
  CREATE TABLE proven (subject TEXT PRIMARY KEY);
  CREATE TABLE proof_days (day BIGINT PRIMARY KEY, used BIGINT NOT NULL);
  `,
  ],
}
