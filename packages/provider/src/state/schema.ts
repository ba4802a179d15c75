import { batchWorker, CATALOG_TABLES } from '@tidegate/catalog'
import type { Schema, Tables } from '@tidegate/database'
import { HOSTING_TABLES } from '@tidegate/hosting'
import { PURCHASE_TABLES } from '@tidegate/purchases/schema'
import { ACCOUNT_TABLES } from '../accounts/schema.js'
import { raiseCutOver } from '../auth/nonces/cut-over-table.js'
import { AUTH_TABLES } from '../auth/schema.js'
import { DELIVERY_TABLES } from '../deliveries/schema.js'
import { USAGE_TABLES } from '../http/limits/schema.js'
import { WEBHOOK_TABLES } from '../webhooks/schema.js'
import { assignStateId } from './identity.js'

const IDENTITY = `
  -- the id of this state, those moved into it, and its successor: the roles are those of identity.ts
  CREATE TABLE identity (id TEXT PRIMARY KEY, role TEXT NOT NULL);
  -- from "quotes end" on, quotes name their chain and expire; paid orders under earlier ones stay valid
  CREATE TABLE moments (name TEXT PRIMARY KEY, at BIGINT NOT NULL);
  INSERT INTO moments (name, at) VALUES ('quotes end', SECONDS_NOW);
  `

/** The tables of the state as a whole. */
const STATE_TABLES: Tables = {
  owner: 'state',
  migrations: [
    {
      sqlite: IDENTITY,
      // the transaction that wrote the row: a dump that is loaded has the same value, but is written by another transaction
      postgres: `${IDENTITY}
  CREATE TABLE origin (transaction BIGINT NOT NULL);
  INSERT INTO origin VALUES (txid_current());
  `,
    },
  ],
}

/** The tables of the service. */
export const STATE_SCHEMA: Schema = {
  tables: [
    STATE_TABLES,
    AUTH_TABLES,
    ACCOUNT_TABLES,
    USAGE_TABLES,
    CATALOG_TABLES,
    HOSTING_TABLES,
    DELIVERY_TABLES,
    WEBHOOK_TABLES,
    PURCHASE_TABLES,
  ],
  afterMigration: assignStateId,
  // a nonce of an earlier time may be among the lost writes
  afterPromotion: () => [raiseCutOver(Date.now())],
  worker: batchWorker(),
}
