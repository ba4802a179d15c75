import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSqlite } from '../../packages/database/src/sqlite/sqlite.js'
import { PURCHASE_TABLES } from '../../packages/purchases/src/schema.js'
import { History } from '../../packages/purchases/test/simulation/history.js'

/** Runs one history of purchases. Returns what is wrong at its end; undefined if nothing is. */
export async function runPurchases(seed: number): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'tidegate-purchases-'))
  const db = openSqlite(folder, { tables: [PURCHASE_TABLES] })
  try {
    return await new History(seed, db).run()
  } finally {
    await db.close()
    await rm(folder, { recursive: true })
  }
}
