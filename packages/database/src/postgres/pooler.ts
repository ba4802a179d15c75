import type pg from 'pg'

/**
 * Rejects if a pooler gives the session of a connection to other clients between transactions (transaction mode).
 * Changes no session, which others use as well. `connect` opens another connection to the same server.
 */
export async function assertOwnSession(client: pg.ClientBase, connect: () => Promise<pg.Client>): Promise<void> {
  const first = await processOf(client)
  // a pooler does not reveal the process behind it
  if (first === (client as unknown as { processID: number | null }).processID) return
  // without an answer: the pooler lacks a session for another client, so that it does not share this one
  const other = await connect().catch(() => undefined)
  if (!other) return
  try {
    const second = await processOf(other).catch(() => undefined)
    // a pooler that takes the least recently used session alternates between two
    const seen = second === undefined ? [] : [await processOf(other), await processOf(client)]
    const isOwn = second === undefined || (second !== first && seen[0] === second && seen[1] === first)
    if (!isOwn) throw Object.assign(new Error('The session belongs to several clients.'), { code: 'SHARED_SESSION' })
  } finally {
    void other.end().catch(() => undefined)
  }
}

/** Returns the id of the process that runs a statement. */
async function processOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS id')
  return rows[0]?.id
}
