import { describe, expect, it } from 'vitest'
import { newFolder } from '../../../test/helpers/cleanup.js'
import { openSqlite } from '../../database/src/sqlite/sqlite.js'
import { PURCHASE_TABLES } from '../src/schema.js'
import { History } from './simulation/history.js'

/** Histories of this test; `npm run simulate -- --purchases` runs more. */
const COUNT = Number(process.env.TIDEGATE_HISTORIES ?? 25)
const FROM = Number(process.env.TIDEGATE_HISTORY ?? 1)

describe('purchases over crashes, lost and replaced transactions, reorganisations and two instances (threat 129)', () => {
  it.each(
    Array.from({ length: COUNT }, (_, at) => FROM + at),
  )('history %i ends rightly, to the last unit', async (seed) => {
    const db = openSqlite(newFolder(), { tables: [PURCHASE_TABLES] })
    try {
      expect(await new History(seed, db).run()).toBeUndefined()
    } finally {
      await db.close()
    }
  })
})
