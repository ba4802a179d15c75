import type { CID } from 'multiformats/cid'
import type { RequestContext } from '../../storage.js'
import type { BlockSource } from './block-source.js'
import { FetchBudget } from './budget.js'
import { type Gateways, Sources } from './sources.js'
import { type Piece, UnixFile } from './unix-file.js'

/** A content-addressed file. If one source of blocks fails, the next one continues. */
export class ContentFile {
  private constructor(
    private readonly cid: CID,
    private readonly sources: Sources,
    private readonly budget: FetchBudget,
    private source: BlockSource,
    private file: UnixFile,
  ) {}

  /** Opens a file, or the range `entityBytes` of it (see the specification of trustless gateways). Rejects with StorageError. */
  static async open(cid: CID, gateways: Gateways, context: RequestContext, entityBytes?: string): Promise<ContentFile> {
    const budget = new FetchBudget()
    const sources = new Sources(cid, gateways, budget, context)
    for (;;) {
      const source = await sources.next(entityBytes, false)
      try {
        return new ContentFile(cid, sources, budget, source, await UnixFile.open(cid, source, budget))
      } catch (error) {
        source.close?.()
        sources.failed(error, false)
      }
    }
  }

  /** Reads the size of a file in bytes, without its content. Rejects with StorageError. */
  static async size(cid: CID, gateways: Gateways, context: RequestContext): Promise<number> {
    const budget = new FetchBudget()
    const sources = new Sources(cid, gateways, budget, context)
    const cached = sources.cached()
    const known = cached && (await UnixFile.open(cid, cached, budget).catch((error) => sources.failed(error, false)))
    return (known ?? (await UnixFile.open(cid, sources.single(gateways.urls, 1), budget))).size
  }

  /** Bytes of the whole file, as the root claims. */
  get size(): number {
    return this.file.size
  }

  /** Yields the bytes from `start` to `end` (exclusive). Call it once. Rejects with StorageError. */
  async *bytes(start: number, end: number): AsyncGenerator<Piece> {
    let [at, begun] = [start, start]
    try {
      for (;;) {
        try {
          for await (const some of this.file.bytes(at, end)) {
            at += some.length
            yield some
          }
          return
        } catch (error) {
          this.close()
          this.sources.failed(error, at > begun)
        }
        begun = at
        await this.reopen(`${at}:${end - 1}`)
      }
    } finally {
      this.close()
    }
  }

  close(): void {
    this.source.close?.()
  }

  private async reopen(entityBytes: string): Promise<void> {
    for (;;) {
      this.source = await this.sources.next(entityBytes, true)
      try {
        this.file = await UnixFile.open(this.cid, this.source, this.budget)
        return
      } catch (error) {
        this.close()
        this.sources.failed(error, false)
      }
    }
  }
}

/** Translates a Range header to `entity-bytes`, for a file of unknown size. Undefined if the whole file must be sent. */
export function entityBytes(range: string | undefined): string | undefined {
  const match = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '')
  if (!match) return undefined
  const [first, last] = [match[1] as string, match[2] as string]
  if (first === '') return Number(last) > 0 ? `-${Number(last)}:*` : undefined
  if (last === '') return `${Number(first)}:*`
  return Number(last) < Number(first) ? undefined : `${Number(first)}:${Number(last)}`
}
