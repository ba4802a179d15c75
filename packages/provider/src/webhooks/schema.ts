import type { Tables } from '@tidegate/database'

/** The queue of events for webhooks. */
export const WEBHOOK_TABLES: Tables = {
  owner: 'webhooks',
  migrations: [
    `
  CREATE TABLE webhook_events (
    id TEXT PRIMARY KEY, body TEXT NOT NULL, created_at BIGINT NOT NULL, due_at BIGINT NOT NULL, attempts BIGINT NOT NULL
  );
  CREATE INDEX webhook_events_by_due ON webhook_events (due_at);
  CREATE INDEX webhook_events_by_age ON webhook_events (created_at, id);
  `,
  ],
}
