import type { Tables } from '@tidegate/database'

/** The tables of nonces and auth tokens. */
export const AUTH_TABLES: Tables = {
  owner: 'auth',
  migrations: [
    `
  CREATE TABLE nonces (address TEXT PRIMARY KEY, nonce BYTE_ORDERED NOT NULL) STORED_BY_KEY;
  -- contract wallets have nonces per chain; those in nonces, which an imported state has, apply to every chain
  CREATE TABLE wallet_nonces (
    address TEXT NOT NULL, chain_id BIGINT NOT NULL, nonce BYTE_ORDERED NOT NULL, PRIMARY KEY (address, chain_id)
  ) STORED_BY_KEY;
  -- when this service took over from another one, in milliseconds since 1970: one row, or none
  CREATE TABLE cut_over (id BIGINT PRIMARY KEY, at BIGINT NOT NULL);
  CREATE TABLE revocations (jti TEXT PRIMARY KEY, expires_at BIGINT NOT NULL);
  CREATE INDEX revocations_by_expiry ON revocations (expires_at);
  `,
  ],
}
