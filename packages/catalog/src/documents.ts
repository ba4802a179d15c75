import { COMMON_LIMITS, type RunOptions, type Sandbox, SandboxTimeout, TaskFailure } from '@tidegate/common'
import { type Ddo, PROTOCOL_LIMITS } from '@tidegate/protocol'
import {
  type Decoded,
  type DocumentOwner,
  type DocumentTask,
  documentKeys,
  type Hint,
  type PublishedDocument,
  readStored,
  sizeProblem,
  type Validated,
} from '@tidegate/protocol/documents'
import type { ProviderKey } from '@tidegate/protocol/keys'
import type { Address, Hex } from 'viem'
import type * as tasks from './document-tasks.js'
import type { PreparedRows } from './index/index-consumer.js'
import type { ServedParts } from './search/source.js'
import { withDocument } from './search/sql/prepared.js'

/** The NFT of a document, on a served chain. */
interface Publisher {
  nft: Address
  chain: { chainId: number; keys: readonly ProviderKey[] }
}

/** A document with the prepared rows of its asset, if they were requested. */
export type DecodedForIndex = Decoded & { prepared?: PreparedRows }

/** A published document, and the NFT that published it. */
export interface Publication {
  published: PublishedDocument
  publisher: Publisher
  expected?: tasks.Expected | undefined
}

/**
 * Reads documents in the sandbox: they are untrusted input, since anybody who pays for a transaction can publish. The
 * results are safe to process on the event loop. Every method throws SandboxError where the sandbox is unavailable,
 * whatever the document, or the signal's reason.
 */
export class DocumentReader {
  /** `maxSize`: largest plain document, in bytes; `maxInflation`: times its compressed size that it may have. */
  constructor(
    private readonly sandbox: Pick<Sandbox<typeof tasks>, 'run'>,
    private readonly maxSize: number,
    private readonly maxInflation = Number.POSITIVE_INFINITY,
  ) {}

  /** Decrypts, decompresses and checks a published document. Exceeding a limit is a `reason`, not an error. */
  async decode(published: PublishedDocument, publisher: Publisher, options: RunOptions = {}): Promise<Decoded> {
    return this.decodeInSandbox(published, publisher, options).catch(asReason)
  }

  /**
   * Like `decode`, for the index, which stores the result: a time-out is retried once. It has priority, unless the
   * options say otherwise.
   */
  async decodeWithRetry(
    published: PublishedDocument,
    publisher: Publisher,
    options: RunOptions = {},
  ): Promise<Decoded> {
    const attempt = () => this.decodeInSandbox(published, publisher, { priority: true, ...options })
    return attempt()
      .catch((error: unknown) => {
        if (error instanceof SandboxTimeout) return attempt()
        throw error
      })
      .catch(asReason)
  }

  /**
   * Like `decode`, for several documents by one task. Rejects if that fails, for which one of them is the cause: then
   * they are to be decoded one by one.
   */
  async decodeBatch(publications: readonly Publication[], options: RunOptions = {}): Promise<DecodedForIndex[]> {
    // one that is too large is refused by its length, and not copied
    const all = publications.map(({ published, publisher, expected }) => {
      const reason = sizeProblem(published, this.maxSize)
      return reason ? { reason } : { ...this.task(published, publisher), expected }
    })
    const tasks = all.filter((one) => 'published' in one)
    const decoded = await this.sandbox.run('documents', tasks, {
      deadline: COMMON_LIMITS.sandbox.batch.deadline,
      ...options,
    })
    return all.map((one) => ('published' in one ? withPrepared(decoded.shift() as Read, one.expected) : one))
  }

  /** Checks a metadata cache's copy of the document with this SHA-256. */
  async decodeCopy(text: string, hash: Hex, publisher: Publisher): Promise<Decoded> {
    return this.sandbox.run('copy', { text, hash, owner: this.owner(publisher) }).catch(asReason)
  }

  /** Reads the location of an asset from a metadata cache's response; undefined if it cannot be read. */
  async hint(text: string): Promise<Hint | undefined> {
    if (text.length > this.maxSize + PROTOCOL_LIMITS.document.overhead) return undefined
    const hint = await this.sandbox.run('hint', text).catch(asReason)
    return hint && 'nft' in hint ? hint : undefined
  }

  /**
   * Parses a document that was checked before: a short one on the event loop, since a thread takes longer, a long one
   * in the sandbox. Returns undefined if it cannot be read.
   */
  async stored(text: string): Promise<Ddo | undefined> {
    if (text.length <= PROTOCOL_LIMITS.document.short) return readStored(text)
    const read = await this.sandbox.run('stored', text).catch(asReason)
    return read && 'reason' in read ? undefined : read
  }

  /** Writes parts of a document; undefined if they are too long, or it cannot be read. */
  async served(parts: ServedParts): Promise<string | undefined> {
    const text = await this.sandbox.run('served', parts).catch(asReason)
    return typeof text === 'string' ? text : undefined
  }

  /** Shortens the text of a document for lists; undefined if it cannot be read. */
  async shortened(text: string): Promise<string | undefined> {
    const short = await this.sandbox.run('shortened', text).catch(asReason)
    return typeof short === 'string' ? short : undefined
  }

  /** Validates a document before publication, by itself or in a signed envelope. */
  async validate(bytes: Uint8Array, options: RunOptions = {}): Promise<Validated> {
    const tooLarge = { problems: { body: `The body is larger than ${this.maxSize} bytes.` } }
    if (bytes.length > this.maxSize + PROTOCOL_LIMITS.document.overhead) return tooLarge
    // copied, since its buffer may be shared with other requests
    const read = await this.sandbox
      .run('validate', { bytes: Uint8Array.from(bytes), maxInflation: this.maxInflation }, options)
      .catch(asReason)
    if ('reason' in read) return { problems: { body: `The body ${read.reason}.` } }
    const { signedBy } = read
    const isTooLarge = 'hash' in read ? read.size > this.maxSize : !signedBy && bytes.length > this.maxSize
    return isTooLarge ? { ...tooLarge, ...(signedBy ? { signedBy } : {}) } : read
  }

  private async decodeInSandbox(
    published: PublishedDocument,
    publisher: Publisher,
    options: RunOptions,
  ): Promise<Decoded> {
    const tooLarge = sizeProblem(published, this.maxSize)
    if (tooLarge) return { reason: tooLarge }
    return this.sandbox.run('document', this.task(published, publisher), options)
  }

  private task(published: PublishedDocument, publisher: Publisher): DocumentTask {
    return { published, owner: this.owner(publisher), keys: documentKeys(published, publisher.chain.keys) }
  }

  private owner({ nft, chain: { chainId } }: Publisher): DocumentOwner {
    return { nft, chainId, maxSize: this.maxSize, maxInflation: this.maxInflation }
  }
}

/** The reason where the document made the task fail. Rethrows every other error. */
function asReason(error: unknown): { reason: string } {
  if (error instanceof TaskFailure) return { reason: error.message }
  throw error
}

type Read = Awaited<ReturnType<typeof tasks.documents>>[number]

/** Returns a document with its prepared rows. The thread does not send back the asset that they are of. */
function withPrepared({ rows, ...decoded }: Read, expected: tasks.Expected | undefined): DecodedForIndex {
  if (!expected || !('ddo' in decoded)) return decoded
  return { ...decoded, prepared: { asset: withDocument(expected.asset, decoded), rows } }
}
