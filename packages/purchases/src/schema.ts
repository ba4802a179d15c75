import type { Tables } from '@tidegate/database'

/** Purchases, the account nonces that their steps have, and the signed transactions with these. Amounts are decimal texts. */
export const PURCHASE_TABLES: Tables = {
  owner: 'purchases',
  migrations: [
    `
  -- id: hash of chain, token, payer and nonce of the authorization, which the token accepts once
  CREATE TABLE purchases (
    id TEXT PRIMARY KEY, chain_id BIGINT NOT NULL, token TEXT NOT NULL, payer TEXT NOT NULL, nonce TEXT NOT NULL,
    value TEXT NOT NULL, valid_after BIGINT NOT NULL, valid_before BIGINT NOT NULL, signature TEXT NOT NULL,
    gas_fee TEXT NOT NULL, did TEXT NOT NULL, service TEXT NOT NULL, file BIGINT, datatoken TEXT NOT NULL,
    identifier TEXT,
    state TEXT NOT NULL, reason TEXT, paid TEXT NOT NULL, spent TEXT NOT NULL, refunded TEXT NOT NULL,
    settle_tx TEXT, order_tx TEXT, refund_tx TEXT, settled_at BIGINT NOT NULL, is_open BIGINT NOT NULL, due_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL, changed_at BIGINT NOT NULL, version BIGINT NOT NULL
  );
  CREATE INDEX purchases_open ON purchases (chain_id, created_at, id) WHERE is_open = 1;
  CREATE INDEX purchases_by_time ON purchases (chain_id, created_at);
  -- a row that all writers of a chain change first, so that they take turns
  CREATE TABLE purchase_accounts (chain_id BIGINT PRIMARY KEY, changes BIGINT NOT NULL);
  -- account nonces; outcome: null until the chain has decided finally
  CREATE TABLE purchase_slots (
    chain_id BIGINT NOT NULL, own_account TEXT NOT NULL, nonce BIGINT NOT NULL, purchase TEXT NOT NULL, step TEXT NOT NULL,
    receiver TEXT NOT NULL, data TEXT NOT NULL, gas BIGINT NOT NULL, outcome TEXT, created_at BIGINT NOT NULL,
    PRIMARY KEY (chain_id, own_account, nonce)
  );
  CREATE UNIQUE INDEX purchase_slots_open ON purchase_slots (purchase, step) WHERE outcome IS NULL;
  CREATE INDEX purchase_slots_by_purchase ON purchase_slots (purchase);
  CREATE INDEX purchase_slots_waiting ON purchase_slots (chain_id, own_account, nonce) WHERE outcome IS NULL;
  -- each is written before it is sent
  CREATE TABLE purchase_transactions (
    hash TEXT PRIMARY KEY, chain_id BIGINT NOT NULL, own_account TEXT NOT NULL, nonce BIGINT NOT NULL,
    raw TEXT NOT NULL, price TEXT NOT NULL, created_at BIGINT NOT NULL
  );
  CREATE INDEX purchase_transactions_by_nonce ON purchase_transactions (chain_id, own_account, nonce);
  `,
    // why the next step of a purchase waits; SHA-256 of the terms that the buyer accepts
    'ALTER TABLE purchases ADD COLUMN obstacle TEXT; ALTER TABLE purchases ADD COLUMN terms TEXT',
    // whether the payer is a contract
    'ALTER TABLE purchases ADD COLUMN is_contract BIGINT NOT NULL DEFAULT 0',
  ],
}
