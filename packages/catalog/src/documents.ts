import { COMMON_LIMITS, type RunOptions, type Sandbox, SandboxTimeout, TaskFailure } from '@tidegate/common'
import { type Ddo, PROTOCOL_LIMITS } from '@tidegate/protocol'
import {
  type Decoded,
  type DocumentOwner,
  type DocumentTask,
  type Hint,
  type PublishedDocument,
  readStored,
  sizeProblem,
  type Validated,
} from '@tidegate/protocol/documents'
import { documentKeys, type ProviderKey } from '@tidegate/protocol/keys'
import type { Address, Hex } from 'viem'
import type * as tasks from './document-tasks.js'
import type { PreparedRows } from './index/index-consumer.js'
import type { ServedParts } from './search/source.js'
import { withDocument } from './search/tables/prepared.js'

/** The NFT of a document and its chain. */
interface Publisher {
  nft: Address
  chain: { chainId: number; keys: readonly ProviderKey[] }
}

/** A decoded document, with the prepared rows of its asset if requested. */
export type DecodedForIndex = Decoded & { prepared?: PreparedRows }

/** A published document and its NFT. */
export interface Publication {
  published: PublishedDocument
  publisher: Publisher
  expected?: tasks.Expected | undefined
}

/**
 * Reads untrusted documents in the sandbox. The results are safe to process on the event loop. Every method throws SandboxError if
 * the sandbox is unavailable, or the signal's reason.
 */
export class DocumentReader {
  /** `maxSize`: maximum bytes of a plain document; `maxInflation`: maximum ratio of plain to compressed size. */
  constructor(
    private readonly sandbox: Pick<Sandbox<typeof tasks>, 'run'>,
    private readonly maxSize: number,
    private readonly maxInflation = Number.POSITIVE_INFINITY,
  ) {}

  /** Decrypts, decompresses and checks a published document. An exceeded limit is a `reason`, not an error. */
  async decode(published: PublishedDocument, publisher: Publisher, options: RunOptions = {}): Promise<Decoded> {
    return this.decodeInSandbox(published, publisher, options).catch(asReason)
  }

  /** Like `decode`, for a result that is stored: retries a time-out once. Has priority by default. */
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

  /** Like `decode`, for several documents in one task. If one of them makes the task fail, rejects: then decode them singly. */
  async decodeBatch(publications: readonly Publication[], options: RunOptions = {}): Promise<DecodedForIndex[]> {
    // too large documents are refused by their length, without a copy
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

  /** Checks a copy from a metadata cache against the SHA-256 of the document. */
  async decodeCopy(text: string, hash: Hex, publisher: Publisher): Promise<Decoded> {
    return this.sandbox.run('copy', { text, hash, owner: this.owner(publisher) }).catch(asReason)
  }

  /** Reads the location of an asset from the response of a metadata cache; undefined if it is unreadable. */
  async hint(text: string): Promise<Hint | undefined> {
    if (text.length > this.maxSize + PROTOCOL_LIMITS.document.overhead) return undefined
    const hint = await this.sandbox.run('hint', text).catch(asReason)
    return hint && 'nft' in hint ? hint : undefined
  }

  /** Parses a checked document, in the sandbox if it is long. Undefined if it is unreadable. */
  async stored(text: string): Promise<Ddo | undefined> {
    if (text.length <= PROTOCOL_LIMITS.document.short) return readStored(text)
    const read = await this.sandbox.run('stored', text).catch(asReason)
    return read && 'reason' in read ? undefined : read
  }

  /** Serializes parts of a document; undefined if they are too long or the document is unreadable. */
  async served(parts: ServedParts): Promise<string | undefined> {
    const text = await this.sandbox.run('served', parts).catch(asReason)
    return typeof text === 'string' ? text : undefined
  }

  /** Shortens a document for lists; undefined if it is unreadable. */
  async shortened(text: string): Promise<string | undefined> {
    const short = await this.sandbox.run('shortened', text).catch(asReason)
    return typeof short === 'string' ? short : undefined
  }

  /** Validates a document before publication, plain or in a signed envelope. */
  async validate(bytes: Uint8Array, options: RunOptions = {}): Promise<Validated> {
    const tooLarge = { problems: { body: `The body is larger than ${this.maxSize} bytes.` } }
    if (bytes.length > this.maxSize + PROTOCOL_LIMITS.document.overhead) return tooLarge
    // a copy, since the buffer may be shared with other requests
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

/** Returns the reason of a failed task. Rethrows other errors. */
function asReason(error: unknown): { reason: string } {
  if (error instanceof TaskFailure) return { reason: error.message }
  throw error
}

type Read = Awaited<ReturnType<typeof tasks.documents>>[number]

/** Returns a document with its prepared rows. Adds their asset, which the thread does not send back. */
function withPrepared({ rows, ...decoded }: Read, expected: tasks.Expected | undefined): DecodedForIndex {
  if (!expected || !('ddo' in decoded)) return decoded
  return { ...decoded, prepared: { asset: withDocument(expected.asset, decoded), rows } }
}
