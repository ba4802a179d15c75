import { didsOf } from '../../../ddo/ddo.js'
import { LASTING_REASONS } from '../../../ddo/indexed.js'
import type { IndexRow } from '../../../state/store.js'
import { IndexFileError, type IndexFileHeader, parseHeader, parseLine } from './format.js'
import { readLines } from './lines.js'

/** A row of a file, and its line from 1, whose size is in bytes. */
export interface FileRow {
  row: IndexRow
  at: number
  size: number
}

/** A file of the index that is being read. */
export interface IndexFile {
  header: IndexFileHeader
  /** The rows, each checked. Returns the file's SHA-256 as hex. Throws IndexFileError. */
  rows: AsyncGenerator<FileRow, string>
}

/** The counters of a header, by the kind of row. */
const COUNTERS = { nft: 'nfts', datatoken: 'datatokens', asset: 'assets' } as const

/** Opens a file of the index and checks its header. Throws IndexFileError, and the errors of the file system. */
export async function openIndexFile(path: string): Promise<IndexFile> {
  const lines = readLines(path)
  const first = await lines.next()
  if (first.done) throw new IndexFileError('the file is empty.')
  const header = parseHeader(first.value.json)
  return { header, rows: rowsOf(lines, header) }
}

async function* rowsOf(lines: ReturnType<typeof readLines>, header: IndexFileHeader): AsyncGenerator<FileRow, string> {
  const sequence = new Sequence(header)
  let sha256: string | undefined
  for await (const { at, size, json, digestBefore } of lines) {
    if (sha256 !== undefined) throw new IndexFileError(`line ${at}: must not come after the end.`)
    const line = parseLine(json, at)
    if (line.kind !== 'end') {
      sequence.add(line, at)
      yield { row: line, at, size }
      continue
    }
    sequence.assertComplete()
    sha256 = digestBefore()
    if (sha256 !== line.sha256)
      throw new IndexFileError(
        `line ${at}, sha256: is not that of the lines before it: the file was changed or damaged.`,
      )
  }
  if (sha256 === undefined) throw new IndexFileError('the file is cut off: its last line is missing.')
  return sha256
}

/** Checks that rows are in order, none twice, and as many as the header says. */
class Sequence {
  private nft = ''
  private hasAsset = false
  private readonly found = { nfts: 0, datatokens: 0, assets: 0 }

  constructor(private readonly header: IndexFileHeader) {}

  add(row: IndexRow, at: number): void {
    const refuse = (field: string, reason: string): never => {
      throw new IndexFileError(`line ${at}, ${field}: ${reason}.`)
    }
    const counter = COUNTERS[row.kind]
    this.found[counter] += 1
    if (this.found[counter] > this.header.counts[counter])
      refuse('kind', `is one row more than counts.${counter} of the header`)
    switch (row.kind) {
      case 'nft': {
        const { address } = row.nft
        if (address === this.nft) refuse('nft.address', 'occurs twice')
        if (address < this.nft) refuse('nft.address', 'is not in order')
        this.nft = address
        this.hasAsset = false
        return
      }
      case 'datatoken':
        if (row.datatoken.nft !== this.nft) refuse('datatoken.nft', 'must be the NFT before it')
        if (this.hasAsset) refuse('datatoken', 'must come before the asset of its NFT')
        return
      case 'asset':
        this.addAsset(row, refuse)
    }
  }

  assertComplete(): void {
    for (const counter of ['nfts', 'datatokens', 'assets'] as const)
      if (this.found[counter] !== this.header.counts[counter])
        throw new IndexFileError(`line 1, counts.${counter}: is not the number of rows in the file.`)
  }

  private addAsset({ metadata }: IndexRow & { kind: 'asset' }, refuse: (field: string, reason: string) => void): void {
    const { chainId, startBlock, checkpoint } = this.header
    const { nft, did, block, reason } = metadata
    if (nft !== this.nft) refuse('metadata.nft', 'must be the NFT before it')
    if (this.hasAsset) refuse('metadata.nft', 'occurs twice')
    this.hasAsset = true
    if (!didsOf(nft, chainId).includes(did)) refuse('metadata.did', 'is not that of the NFT')
    if (block < startBlock || block > checkpoint.block)
      refuse('metadata.block', 'must lie between the start block and the checkpoint of the header')
    if (reason !== null && !(Object.values(LASTING_REASONS) as string[]).includes(reason))
      refuse('metadata.reason', 'must be a known reason')
  }
}
