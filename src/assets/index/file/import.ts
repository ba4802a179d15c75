import { BOUNDS } from '../../../bounds.js'
import type { Chain } from '../../../chain/chains.js'
import { StartError, UnstorableError } from '../../../errors.js'
import type { Cursor, IndexRow, StateStore } from '../../../state/store.js'
import type { DocumentReader } from '../../documents.js'
import { isMissing } from './check.js'
import { metadataAt } from './compare.js'
import { ContractEvents } from './events.js'
import { IndexFileError, type IndexFileHeader } from './format.js'
import { type IndexFile, openIndexFile } from './rows.js'

export interface ImportOptions {
  chain: Chain
  store: Pick<StateStore, 'index' | 'imports'>
  documents: DocumentReader
  maxDocument: number
  /** The digest that the file had when it was checked. */
  sha256: string
  /** Batches whose documents are read from the chain at once. */
  concurrency: number
  /** Called with the number of rows so far. */
  onProgress?: (rows: number) => void
}

/** What was imported. */
export interface Imported {
  chainId: number
  checkpoint: Cursor
  nfts: number
  datatokens: number
  assets: number
  /** Documents that were read from the chain, since the file does not hold them. */
  read: number
}

/**
 * Imports a file that was checked into a new generation of the index, and makes that live at the end. Until then, and after
 * a failure, the service sees nothing of it. Throws StartError where the index has read as far already, or another import
 * runs; IndexFileError, ChainError, SandboxError and StateError.
 */
export async function importIndex(path: string, options: ImportOptions): Promise<Imported> {
  const { chain, store } = options
  const { chainId } = chain
  const { header, rows } = await openIndexFile(path)
  await assertBehind(header, options)
  if (!(await store.imports.tryLead(chainId)))
    throw new StartError([`another import of chain ${chainId} is running: wait until it has ended.`])
  const id = await store.imports.begin(chainId)
  try {
    const read = await writeAll(rows, id, header, options)
    if (!(await store.imports.promote(id, chainId, header.checkpoint))) {
      await assertBehind(header, options)
      throw new StartError([`another import of chain ${chainId} has begun meanwhile.`])
    }
    return { chainId, checkpoint: header.checkpoint, ...header.counts, read }
  } catch (error) {
    await store.imports.abandon(chainId).catch(() => undefined)
    throw error
  } finally {
    await rows.return('')
  }
}

async function assertBehind({ checkpoint }: IndexFileHeader, { chain, store }: ImportOptions): Promise<void> {
  const { live } = await store.index.generations(chain.chainId)
  if (live === undefined || live.cursor.block < checkpoint.block) return
  throw new StartError([
    `the index of chain ${chain.chainId} has read up to block ${live.cursor.block} already, and the file ends at ${checkpoint.block}: there is nothing to import.`,
  ])
}

/** Writes all rows of a file, batch by batch. Returns the number of documents that were read from the chain. */
async function writeAll(
  rows: IndexFile['rows'],
  id: number,
  header: IndexFileHeader,
  options: ImportOptions,
): Promise<number> {
  const { chain, store, concurrency, onProgress } = options
  const events = new ContractEvents(chain, header.checkpoint, 0)
  const ahead: Promise<Batch | { error: unknown }>[] = []
  let [read, written] = [0, 0]
  const write = async () => {
    const batch = await ahead.shift()
    if (!batch) return
    if ('error' in batch) throw batch.error
    await add(batch.rows, id, store)
    read += batch.read
    written += batch.rows.length
    onProgress?.(written)
  }
  for await (const batch of batches(rows, options.sha256)) {
    // a later one that fails is reported when its turn comes
    ahead.push(completed(batch, events, options).catch((error: unknown) => ({ error })))
    if (ahead.length > concurrency) await write()
  }
  while (ahead.length > 0) await write()
  return read
}

interface Batch {
  rows: IndexRow[]
  read: number
}

async function* batches(rows: IndexFile['rows'], sha256: string): AsyncGenerator<IndexRow[]> {
  const { batch: most, assets, bytes: mostBytes, requested } = BOUNDS.indexFile
  let [batch, count, size, missing]: [IndexRow[], number, number, number] = [[], 0, 0, 0]
  for (let next = await rows.next(); ; next = await rows.next()) {
    if (next.done) {
      if (next.value !== sha256) throw new IndexFileError('the file was changed while it was imported.')
      if (batch.length > 0) yield batch
      return
    }
    const { row, size: bytes } = next.value
    batch.push(row)
    size += bytes
    if (row.kind === 'asset') {
      count += 1
      missing += row.metadata.ddo === null ? 1 : 0
    }
    if (batch.length < most && count < assets && size < mostBytes && missing < requested) continue
    yield batch
    ;[batch, count, size, missing] = [[], 0, 0, 0]
  }
}

/** Adds the documents that the file does not hold. */
async function completed(rows: IndexRow[], events: ContractEvents, options: ImportOptions): Promise<Batch> {
  const { chain, documents, maxDocument } = options
  let read = 0
  const all = await Promise.all(
    rows.map(async (row): Promise<IndexRow> => {
      if (row.kind !== 'asset' || !isMissing(row.metadata, maxDocument)) return row
      read += 1
      const found = await metadataAt(row.metadata, events, chain, documents)
      return { kind: 'asset', metadata: { ...found, state: row.metadata.state } }
    }),
  )
  return { rows: all, read }
}

async function add(rows: IndexRow[], id: number, store: ImportOptions['store']): Promise<void> {
  await store.imports.add(id, rows).catch((error: unknown) => {
    if (!(error instanceof UnstorableError)) throw error
    throw new IndexFileError('a datatoken occurs twice, or the database does not take a row.')
  })
}
