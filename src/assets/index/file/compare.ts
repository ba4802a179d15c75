import type { Chain } from '../../../chain/chains.js'
import type { IndexedDatatoken, IndexedMetadata, IndexedNft } from '../../../ddo/indexed.js'
import { INFLATED, TOO_LARGE } from '../../../ddo/lzma.js'
import type { Address } from '../../../hex.js'
import type { Cursor, IndexChange } from '../../../state/store.js'
import { storable } from '../../../state/tables/changes.js'
import type { DocumentReader } from '../../documents.js'
import { changesOf } from '../changes.js'
import { ContractEvents, TooManyRanges } from './events.js'
import { IndexFileError } from './format.js'

type Datatoken = IndexedDatatoken & { orders: number }

/** Rows of one NFT that are compared: all of them, or a part of its datatokens. */
export interface Part {
  nft: IndexedNft
  datatokens: Datatoken[]
  /** Bytes of its lines. */
  size: number
  /** The row after those of the datatokens; undefined where another part has it, or its events cannot be read. */
  rest?: { asset?: IndexedMetadata } | undefined
}

/** Compares rows of a file with the chain: reads their events, and makes the rows of them as the index does. */
export class Comparison {
  private readonly events: ContractEvents
  /** Whether what happened after the rows' own blocks was compared too: states, datatokens and orders. */
  complete = true

  /** `maxRanges`: requests for events over ranges of blocks. */
  constructor(
    private readonly chain: Chain,
    private readonly documents: DocumentReader,
    checkpoint: Cursor,
    maxRanges: number,
  ) {
    this.events = new ContractEvents(chain, checkpoint, maxRanges)
  }

  /** Compares some parts. Throws IndexFileError for the first difference, ChainError and SandboxError. */
  async compare(parts: Part[]): Promise<void> {
    const found = await Promise.all(parts.map((part) => this.deployment(part.nft)))
    const first = Math.min(...found.map((deployment) => deployment.first))
    for (const [at, { nft }] of parts.entries()) differ(nft.address, 'nft', found[at]?.nft, nft)
    const rows = this.complete ? await this.allRows(parts, first) : undefined
    if (rows) for (const part of parts) compareAll(part, rows)
    else await Promise.all(parts.map((part) => this.compareAsset(part)))
  }

  /** Makes an NFT's row of the event that deployed it. */
  private async deployment({ address, created }: IndexedNft): Promise<{ first: number; nft: IndexedNft | undefined }> {
    const { first, logs } = await this.events.deploymentsAt(created)
    for (const log of logs)
      for (const change of await changesOf([log], this.chain, { documents: this.documents }))
        if (change.kind === 'nft' && change.nft.address === address) return { first, nft: change.nft }
    return { first, nft: undefined }
  }

  /** Makes the rows of all events up to the checkpoint; undefined where the nodes give too few blocks at once. */
  private async allRows(parts: Part[], from: number): Promise<Rows | undefined> {
    const rows = new Rows()
    const nfts = parts.filter(({ rest }) => rest).map(({ nft }) => nft.address)
    const datatokens = parts.flatMap((part) => part.datatokens.map(({ address }) => address))
    try {
      for await (const logs of this.events.of(nfts, datatokens, from))
        for (const change of await changesOf(logs, this.chain, { documents: this.documents })) rows.apply(change)
      return rows
    } catch (error) {
      if (!(error instanceof TooManyRanges)) throw error
      this.complete = false
      return undefined
    }
  }

  /** Compares an asset with the event that its row names, which does not tell of later changes of its state. */
  private async compareAsset({ rest }: Part): Promise<void> {
    const asset = rest?.asset
    if (!asset) return
    const found = await metadataAt(asset, this.events, this.chain, this.documents)
    compareMetadata({ ...found, state: asset.state }, asset)
  }
}

/** Makes the metadata of the event that a row names, as the index does. Throws IndexFileError where it is another one. */
export async function metadataAt(
  row: IndexedMetadata,
  events: ContractEvents,
  chain: Chain,
  documents: DocumentReader,
): Promise<IndexedMetadata> {
  const rows = new Rows()
  const logs = await events.metadataIn(row.nft, row.block)
  for (const change of await changesOf(logs, chain, { documents })) rows.apply(change)
  const found = rows.assets.get(row.nft)
  if (!found) throw difference(row.nft, 'metadata')
  for (const field of ['txId', 'block', 'from', 'timestamp'] as const)
    differ(row.nft, `metadata.${field}`, found[field], row[field])
  return found
}

/** The rows that changes make, of the contracts that are compared. */
class Rows {
  readonly datatokens = new Map<Address, Datatoken>()
  readonly assets = new Map<Address, IndexedMetadata>()

  apply(change: IndexChange): void {
    switch (change.kind) {
      case 'datatoken':
        this.datatokens.set(change.datatoken.address, { ...change.datatoken, orders: 0 })
        return
      case 'order': {
        const datatoken = this.datatokens.get(change.datatoken)
        if (datatoken) datatoken.orders += 1
        return
      }
      case 'metadata':
        this.assets.set(change.metadata.nft, { ...change.metadata })
        return
      case 'state': {
        const asset = this.assets.get(change.nft)
        if (asset) asset.state = change.state
      }
    }
  }
}

function compareAll({ nft: { address }, datatokens, rest }: Part, rows: Rows): void {
  const ours = [...rows.datatokens.values()].filter((datatoken) =>
    datatokens.some((row) => row.address === datatoken.address),
  )
  differ(address, 'datatokens', ours, datatokens)
  if (!rest) return
  const asset = rows.assets.get(address)
  if (!asset || !rest.asset) {
    if (asset || rest.asset) throw difference(address, 'metadata')
    return
  }
  compareMetadata(asset, rest.asset)
}

function compareMetadata(found: IndexedMetadata, row: IndexedMetadata): void {
  for (const field of ['state', 'txId', 'block', 'from', 'timestamp'] as const)
    differ(row.nft, `metadata.${field}`, found[field], row[field])
  // without a document in the file, or with one above the own limit, it is read from the chain when it is imported
  if (row.ddo === null || found.reason === TOO_LARGE || found.reason === INFLATED) return
  for (const field of ['did', 'encrypted', 'ddo'] as const)
    differ(row.nft, `metadata.${field}`, found[field], row[field])
}

/** Throws IndexFileError where a row is not what the chain gives. */
function differ(nft: Address, field: string, found: unknown, row: unknown): void {
  if (JSON.stringify(found, stored) !== JSON.stringify(row, stored)) throw difference(nft, field)
}

const difference = (nft: Address, field: string) =>
  new IndexFileError(`NFT ${nft}, ${field}: is not what the chain has.`)

/** Texts as the database holds them, and keys in one order. */
function stored(_key: string, value: unknown): unknown {
  if (typeof value === 'string') return storable(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
}
