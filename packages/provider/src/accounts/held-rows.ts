import { type Query, sql } from '@tidegate/database'

/** A part of what the database holds of an account. */
export interface HeldRows {
  /** Its name in an export: the table, or the table and the role of the account. */
  name: string
  query: (account: AccountNames) => Query
}

/** The forms in which rows name an account. */
export interface AccountNames {
  address: string
  /** Matches a contract wallet at the address: its chain follows. */
  wallets: string
  /** Matches any text that names the account. */
  anywhere: string
  counter: string
  walletCounter: string
}

/** Returns the forms of an address with its checksum. No form has a character that LIKE knows, other than its own. */
export function namesOf(address: string): AccountNames {
  return {
    address,
    wallets: `${address} %`,
    anywhere: `%${address}%`,
    counter: `consumer % ${address}`,
    walletCounter: `consumer % ${address} %`,
  }
}

const held = (name: string, text: string): HeldRows => ({ name, query: sql(text) })

/** Rows of the live index, which anybody can read from the chain. */
const indexed = (table: string, columns: string, where: string) =>
  held(
    table,
    `SELECT r.chain_id AS chain, ${columns} FROM ${table} t JOIN index_reading r ON r.id = t.chain_id AND r.role = 'live' WHERE ${where}`,
  )

/** SQL for whether a column names the account, or a contract wallet at its address. */
export const ownedBy = (column: string): string => `(${column} = :address OR ${column} LIKE :wallets)`

/** Everything that the database holds of an account. docs/privacy.md says what each table is for. */
export const HELD_ROWS: readonly HeldRows[] = [
  held('nonces', 'SELECT nonce FROM nonces WHERE address = :address'),
  held('wallet_nonces', 'SELECT chain_id, nonce FROM wallet_nonces WHERE address = :address'),
  held('forgotten_accounts', 'SELECT at FROM forgotten_accounts WHERE address = :address'),
  held(
    'deliveries',
    `SELECT at, chain_id, did, service, file, order_tx, bytes, complete FROM deliveries WHERE consumer = :address ORDER BY at, id`,
  ),
  held(
    'order_fees',
    `SELECT at, chain_id, tx_id, datatoken, did, service, token, amount FROM order_fees WHERE consumer = :address`,
  ),
  held('proofs', 'SELECT kind, body, attempts, tx_id FROM proofs WHERE body LIKE :anywhere'),
  held('webhook_events', 'SELECT id, body, created_at, attempts FROM webhook_events WHERE body LIKE :anywhere'),
  held(
    'usage_windows',
    'SELECT id, started, ends, used FROM usage_windows WHERE id LIKE :counter OR id LIKE :walletCounter',
  ),
  held(
    'hosted_files',
    `SELECT id, owner, size, received, metadata, created_at, expires_at, completed_at, used_at, sha256
     FROM hosted_files WHERE ${ownedBy('owner')} AND removed_at IS NULL`,
  ),
  held(
    'purchases',
    `SELECT id, chain_id, token, payer, value, paid, spent, refunded, did, service, file, state, reason, settle_tx, order_tx,
     refund_tx, created_at, changed_at FROM purchases WHERE payer = :address ORDER BY created_at, id`,
  ),
  held('hosted_totals', `SELECT owner, files, bytes FROM hosted_totals WHERE ${ownedBy('owner')}`),
  held(
    'deliveries_of_hosted_files',
    `SELECT at, hosted_by, did, service, file, bytes, complete FROM deliveries
     WHERE ${ownedBy('hosted_by')} ORDER BY at, id`,
  ),
  indexed(
    'index_order',
    'block, log, tx_id, datatoken, consumer, payer, timestamp, service, started',
    'consumer = :address OR payer = :address',
  ),
  indexed('index_nft', 'address, name, symbol', 'owner = :address'),
  indexed('index_asset', 'did, nft, tx_id, block, timestamp', 'sender = :address'),
]
