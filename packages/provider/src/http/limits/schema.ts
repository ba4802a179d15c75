import type { Tables } from '@tidegate/database'

/** The table of usage counters. A row has the end of its window, since windows differ in length. */
export const USAGE_TABLES: Tables = {
  owner: 'usage',
  migrations: [
    'CREATE TABLE usage_windows (id TEXT PRIMARY KEY, started BIGINT NOT NULL, used BIGINT NOT NULL, ends BIGINT NOT NULL)',
  ],
}
