/** How the rows of one table come over. */
export interface Table {
  name: string
  columns: string[]
  /** How many of the columns, from the first one on, name a row. */
  key: number
  /** What becomes of a row that is there already; without it there is none. */
  conflict?: string
}

/** Tables that belong together: all of their rows come over, or none. */
export interface Group {
  what: string
  tables: Table[]
  /** Where what the target has is older, it is replaced as a whole. */
  replaces?: boolean
  /** What else the target has is kept in place of the other's: it can be made anew. */
  keepsOwn?: boolean
}

const keepGreater = (table: string, key: string, column: string) =>
  `ON CONFLICT (${key}) DO UPDATE SET ${column} = excluded.${column} WHERE excluded.${column} > ${table}.${column}`

/** Everything that must survive, and the index, which saves reading the chain again. */
export const GROUPS: Group[] = [
  {
    what: 'nonces',
    tables: [
      {
        name: 'nonces',
        columns: ['address', 'nonce'],
        key: 1,
        conflict: keepGreater('nonces', 'address', 'nonce'),
      },
      {
        name: 'wallet_nonces',
        columns: ['address', 'chain_id', 'nonce'],
        key: 2,
        conflict: keepGreater('wallet_nonces', 'address, chain_id', 'nonce'),
      },
    ],
  },
  {
    what: 'revoked tokens',
    tables: [
      {
        name: 'revocations',
        columns: ['jti', 'expires_at'],
        key: 1,
        conflict: keepGreater('revocations', 'jti', 'expires_at'),
      },
    ],
  },
  {
    what: 'proofs that wait',
    tables: [
      {
        name: 'proofs',
        columns: ['id', 'kind', 'body', 'due_at', 'attempts', 'tx_id'],
        key: 1,
        conflict: `ON CONFLICT (id) DO UPDATE SET due_at = excluded.due_at, attempts = excluded.attempts,
          tx_id = excluded.tx_id`,
      },
    ],
    replaces: true,
  },
  {
    what: 'proofs that were made',
    tables: [
      { name: 'proven', columns: ['subject'], key: 1, conflict: 'ON CONFLICT (subject) DO NOTHING' },
      { name: 'proof_days', columns: ['day', 'used'], key: 1, conflict: keepGreater('proof_days', 'day', 'used') },
    ],
  },
  {
    what: 'moments from which rules hold',
    tables: [
      {
        name: 'moments',
        columns: ['name', 'at'],
        key: 1,
        // a rule has held since it held anywhere
        conflict: 'ON CONFLICT (name) DO UPDATE SET at = excluded.at WHERE excluded.at < moments.at',
      },
    ],
  },
  {
    what: 'counters of use',
    tables: [
      {
        name: 'usage_windows',
        columns: ['id', 'started', 'used'],
        key: 1,
        conflict: `ON CONFLICT (id) DO UPDATE SET started = excluded.started, used = excluded.used
          WHERE excluded.started > usage_windows.started
            OR (excluded.started = usage_windows.started AND excluded.used > usage_windows.used)`,
      },
    ],
  },
  {
    what: 'rows of the index',
    tables: [
      { name: 'index_reading', columns: ['id', 'chain_id', 'role', 'wanted'], key: 1 },
      { name: 'index_cursor', columns: ['chain_id', 'block', 'hash'], key: 1 },
      {
        name: 'index_nft',
        columns: ['chain_id', 'address', 'name', 'symbol', 'token_uri', 'owner', 'created'],
        key: 2,
      },
      {
        name: 'index_datatoken',
        columns: ['chain_id', 'address', 'nft', 'name', 'symbol', 'orders', 'position'],
        key: 2,
      },
      {
        name: 'index_asset',
        columns: [
          'did',
          'chain_id',
          'nft',
          'state',
          'ddo',
          'reason',
          'tx_id',
          'block',
          'sender',
          'timestamp',
          'encrypted',
        ],
        key: 2,
      },
      { name: 'index_checkpoint', columns: ['chain_id', 'block', 'hash'], key: 2 },
      { name: 'index_undo', columns: ['chain_id', 'block', 'kind', 'id', 'before'], key: 4 },
    ],
    replaces: true,
    keepsOwn: true,
  },
]
