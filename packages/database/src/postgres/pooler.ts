import type pg from 'pg'

/** Rounds of questions: a pooler that lends sessions sometimes gives the same ones, more often on a busy machine. */
const ROUNDS = 16

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
    if (second === undefined) return
    let isOwn = second !== first
    for (let round = 0; isOwn && round < ROUNDS; round++) isOwn = await areKept([client, first], [other, second], round)
    if (!isOwn) throw Object.assign(new Error('The session belongs to several clients.'), { code: 'SHARED_SESSION' })
  } finally {
    void other.end().catch(() => undefined)
  }
}

/**
 * Whether two clients are in the sessions that they had. A pooler may take the one that was released last or first, or clean it before it
 * gives it again: they ask in sequence in one round, and at once in the next, each time the other one first.
 */
async function areKept(one: [pg.ClientBase, number], other: [pg.ClientBase, number], round: number): Promise<boolean> {
  const asked = round % 2 === 0 ? [one, other] : [other, one]
  const kept = ([client, id]: (typeof asked)[number]) => processOf(client).then((now) => now === id)
  const [first, second] = asked as [typeof one, typeof one]
  if (round % 4 < 2) return (await kept(first)) && (await kept(second))
  return (await Promise.all([kept(first), kept(second)])).every(Boolean)
}

/** Returns the id of the process that runs a statement. */
async function processOf(client: pg.ClientBase): Promise<number> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS id')
  return rows[0]?.id
}
