import type { Tables } from '@tidegate/database'

/** The table of accounts that the operator has forgotten. */
export const ACCOUNT_TABLES: Tables = {
  owner: 'accounts',
  migrations: [
    `
  -- tokens and links from before a time (in seconds since 1970) are not valid; a random text while the account is being forgotten
  CREATE TABLE forgotten_accounts (address TEXT PRIMARY KEY, at BIGINT NOT NULL, salt TEXT) STORED_BY_KEY;
  `,
  ],
}
