import { beforeAll, describe, expect, it } from 'vitest'
import { atEnd, newFolder } from '../../../test/helpers/cleanup.js'
import { type PostgresDatabase, startPostgres } from '../../../test/helpers/postgres-database.js'
import { emptyPostgres } from '../../../test/helpers/store-session.js'
import { openPostgres } from '../../database/src/postgres/postgres.js'
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

  describe('on PostgreSQL', () => {
    let server: PostgresDatabase
    beforeAll(async () => {
      server = await startPostgres()
      atEnd(() => server.close())
    })

    it.each(
      Array.from({ length: Math.ceil(COUNT / 10) }, (_, at) => FROM + at),
    )('history %i ends rightly, to the last unit', async (seed) => {
      const { open, destroy } = await emptyPostgres(server, (options) =>
        openPostgres({ tables: [PURCHASE_TABLES] }, options),
      )
      const db = await open()
      try {
        expect(await new History(seed, db).run()).toBeUndefined()
      } finally {
        await db.close()
        await destroy()
      }
    })
  })
})
