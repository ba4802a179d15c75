import { once } from 'node:events'
import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import Database from 'libsql'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { startNonceWriter } from '../../../../test/helpers/states.js'
import { ALICE, StoreSession } from '../../../../test/helpers/store-session.js'
import type { IndexChange } from '../../../catalog/src/index/index-store.js'
import { generationSuite } from '../../../catalog/test/store/generations.js'
import { indexSuite } from '../../../catalog/test/store/index-batches.js'
import { rollbackSuite } from '../../../catalog/test/store/index-rollback.js'
import { at, metadata, nft, UNSTORABLE } from '../../../catalog/test/store/published.js'
import { DATABASE_FILE } from '../../../database/src/sqlite/sqlite-file.js'
import { didOf } from '../../../protocol/src/ddo/ddo.js'
import { UnstorableError } from '../../../protocol/src/errors.js'
import type { DeliveryRow } from '../../src/deliveries/delivery-store.js'
import { openSqliteStore } from '../../src/state/sqlite.js'
import type { StateStore } from '../../src/state/stores.js'
import { deliverySuite } from './store-suite/deliveries.js'
import { key } from './stores.js'

const folder = () => newFolder()
const remove = (path: string) => rmSync(path, { recursive: true, force: true })

describe('batches of the index on a thread', () => {
  const session = new StoreSession(async () => {
    const path = folder()
    return { open: async () => openSqliteStore(path, { manyChanges: 1 }), destroy: async () => remove(path) }
  })
  indexSuite(session)
  rollbackSuite(session)
  generationSuite(session)
})

describe('deliveries on a thread', () => {
  deliverySuite(
    new StoreSession(async () => {
      const path = folder()
      return { open: async () => openSqliteStore(path, { manyChanges: 1 }), destroy: async () => remove(path) }
    }),
  )
})

/** The events of some assets, each of its own NFT. */
function published(count: number, first = 0): IndexChange[] {
  return Array.from({ length: count }, (_, i): IndexChange[] => {
    const address = `0x${(2 * (first + i) + 1).toString(16).padStart(40, '0')}` as const
    const token = `0x${(2 * (first + i) + 2).toString(16).padStart(40, '0')}` as const
    const did = didOf(address, 1)
    const ddo = JSON.stringify({ id: did, chainId: 1, metadata: { name: `Tides ${i}` }, services: [] })
    return [
      { kind: 'nft', nft: { ...nft, address } },
      { kind: 'datatoken', datatoken: { address: token, nft: address, name: 'd', symbol: 't' } },
      { kind: 'metadata', metadata: { ...metadata, nft: address, did, ddo } },
    ]
  }).flat()
}

/** Deliveries of one order. */
function deliveries(count: number, first = 0): DeliveryRow[] {
  const what = {
    chainId: 1,
    did: 'did:op:a',
    nft: ALICE,
    service: 's',
    file: 0,
    consumer: ALICE,
    bytes: 1,
    complete: true,
    orderTx: `0x${'a'.repeat(64)}`,
  } as const
  return Array.from({ length: count }, (_, i) => ({ id: first + i, at: first + i, ...what }))
}

describe('the thread that commits batches', () => {
  let path: string
  let store: StateStore
  let threads: Worker[]
  const note = (thread: Worker) => threads.push(thread)
  beforeEach(() => {
    threads = []
    process.on('worker', note)
    path = folder()
    store = openSqliteStore(path)
  })
  afterEach(async () => {
    process.off('worker', note)
    await store.close()
    remove(path)
  })
  const commit = (changes: IndexChange[], block: number, from?: number) =>
    store.index.commit({ chainId: 1, from: from === undefined ? undefined : at(from), to: at(block), changes })
  const rows = (from: string) => {
    const db = new Database(join(from, DATABASE_FILE), { readonly: true })
    const tables = ['index_cursor', 'index_nft', 'index_datatoken', 'index_asset', 'search_document', 'search_value']
    const found = tables.map((table) => db.prepare(`SELECT * FROM ${table} ORDER BY 1, 2, 3`).all())
    db.close()
    return found
  }

  async function delivered(): Promise<bigint | undefined> {
    for await (const one of store.deliveries.totals({ since: 0, until: Number.MAX_SAFE_INTEGER }))
      if ('deliveries' in one) return one.deliveries
    return undefined
  }

  it('writes what the event loop would write, which goes on meanwhile', async () => {
    let isWritten = false
    const done = commit(published(100), 1).finally(() => {
      isWritten = true
    })
    let turns = 0
    for (; !isWritten; turns++) await turn()
    expect(await done).toBe(true)
    expect(turns).toBeGreaterThan(3)
    expect(threads).toHaveLength(1)
    const other = folder()
    const plain = openSqliteStore(other, { manyChanges: Number.POSITIVE_INFINITY })
    await plain.index.commit({ chainId: 1, from: undefined, to: at(1), changes: published(100) })
    await plain.close()
    expect(threads).toHaveLength(1)
    expect(rows(path)).toEqual(rows(other))
    expect(rows(path)[3]).toHaveLength(100)
    remove(other)
  })

  it('is not started for a few changes', async () => {
    await commit(published(3), 1)
    expect(threads).toEqual([])
  })

  it('lets other writes of the process wait only for the batch that is being written', async () => {
    const batches = [commit(published(100), 1), commit(published(100, 100), 2, 1), commit(published(100, 200), 3, 2)]
    const written: string[] = []
    for (const [at, batch] of batches.entries()) void batch.then(() => written.push(`batch ${at}`))
    // its thread is at work by then
    await once(process, 'worker')
    await turn()
    expect(await store.nonces.consume(ALICE, key('1'))).toBe(true)
    written.push('nonce')
    expect(await Promise.all(batches)).toEqual([true, true, true])
    expect(written.indexOf('nonce')).toBeLessThan(written.indexOf('batch 2'))
  })

  it('leaves the database to other processes between its batches', async () => {
    const writer = await startNonceWriter(path)
    let before = writer.last()
    for (let block = 1; block <= 20; block++) {
      expect(await commit(published(100, block * 100), block, block === 1 ? undefined : block - 1)).toBe(true)
      if (block % 10 === 0) {
        await expect.poll(() => Number(writer.last())).toBeGreaterThan(Number(before))
        before = writer.last()
      }
    }
    await writer.kill()
  })

  it('refuses a batch that cannot be stored as the event loop does, and writes nothing of it', async () => {
    const batch = [...published(100), UNSTORABLE]
    await expect(commit(batch, 1)).rejects.toThrow('rejects this data')
    expect(await store.index.cursor(1)).toBeUndefined()
    const refused: IndexChange[] = []
    const lenient = { chainId: 1, from: undefined, to: at(1), changes: batch }
    expect(await store.index.commit({ ...lenient, onUnstorable: (change) => refused.push(change) })).toBe(true)
    expect(refused).toEqual([UNSTORABLE])
    expect(await store.checkHealth()).toBeUndefined()
  })

  it('is started anew if it has ended, and a batch that it had is refused or committed, not half of it', async () => {
    expect(await commit(published(100), 1)).toBe(true)
    const next = commit(published(100, 100), 2, 1)
    const ended = new Promise((resolve) => threads[0]?.once('exit', resolve))
    threads[0]?.postMessage(undefined)
    await ended
    await next.catch(() => undefined)
    const block = (await store.index.cursor(1))?.block as number
    expect([1, 2]).toContain(block)
    expect(rows(path)[3]).toHaveLength(100 * block)
    expect(await commit(published(100, 200), 3, block)).toBe(true)
    expect(threads).toHaveLength(2)
  })

  it('writes many deliveries at once, while the event loop goes on, and few on the event loop', async () => {
    await store.deliveries.add(deliveries(10), [])
    expect(threads).toEqual([])
    let isWritten = false
    const done = store.deliveries.add(deliveries(250, 10), []).finally(() => {
      isWritten = true
    })
    let turns = 0
    for (; !isWritten; turns++) await turn()
    await done
    expect(turns).toBeGreaterThan(3)
    expect(threads).toHaveLength(1)
    expect(store.lastWrite()).toBeGreaterThan(0)
    // again, as after a failure of which the outcome is unknown
    await store.deliveries.add(deliveries(260), [])
    expect(await delivered()).toBe(260n)
  })

  it('refuses deliveries of which one cannot be stored, and writes none of them', async () => {
    const bad = { ...deliveries(1)[0], id: 1000, nft: null as never } as DeliveryRow
    await expect(store.deliveries.add([...deliveries(200), bad], [])).rejects.toThrow(UnstorableError)
    expect(await delivered()).toBe(0n)
    expect(await store.checkHealth()).toBeUndefined()
  })

  it('writes nothing to a database that was removed', async () => {
    expect(await commit(published(100), 1)).toBe(true)
    renameSync(join(path, DATABASE_FILE), join(path, 'elsewhere'))
    await expect(commit(published(100, 100), 2, 1)).rejects.toThrow('cannot be used now')
    expect(await store.checkHealth()).toMatchObject({ kind: 'gone' })
  })

  it('ends with the store, after the batch that it writes', async () => {
    const done = commit(published(100), 1)
    const waiting = commit(published(100, 100), 2, 1)
    const refused = expect(waiting).rejects.toThrow('cannot be used now')
    await once(process, 'worker')
    const ended = once(threads[0] as Worker, 'exit')
    await turn()
    await store.close()
    await ended
    expect(await done).toBe(true)
    await refused
    store = openSqliteStore(path)
    expect(await store.index.cursor(1)).toEqual(at(1))
  })
})
