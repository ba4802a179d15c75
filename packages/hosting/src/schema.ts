import type { Tables } from '@tidegate/database'

/** The tables of hosted files. */
export const HOSTING_TABLES: Tables = {
  owner: 'hosting',
  migrations: [
    `
  CREATE TABLE hosted_files (
    id BYTE_ORDERED PRIMARY KEY, owner TEXT NOT NULL, size BIGINT NOT NULL, received BIGINT NOT NULL,
    metadata TEXT NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL, sha256 TEXT,
    completed_at BIGINT, used_at BIGINT, removed_at BIGINT,
    lock_holder TEXT, lock_until BIGINT NOT NULL, lock_wanted BIGINT NOT NULL,
    -- where the file is stored, and its SHA-256 so far: an upload can be resumed at any instance
    place TEXT, hash TEXT,
    -- uploads whose length is not declared yet, partial uploads, and the final ones that join them
    deferred BIGINT NOT NULL DEFAULT 0, concat TEXT, final TEXT
  );
  CREATE INDEX hosted_files_by_owner ON hosted_files (owner, id);
  CREATE INDEX hosted_files_by_final ON hosted_files (final) WHERE final IS NOT NULL;
  -- what each publisher has
  CREATE TABLE hosted_totals (owner TEXT PRIMARY KEY, files BIGINT NOT NULL, bytes BIGINT NOT NULL);
  -- which assets may use a file
  CREATE TABLE hosted_uses (
    file TEXT NOT NULL, chain_id BIGINT NOT NULL, nft TEXT NOT NULL, list TEXT NOT NULL,
    PRIMARY KEY (file, chain_id, nft, list)
  ) STORED_BY_KEY;
  `,
  ],
}
