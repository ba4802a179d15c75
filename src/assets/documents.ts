import type { Address, Hex } from 'viem'
import { BOUNDS } from '../bounds.js'
import type { ProviderKey } from '../crypto/keys.js'
import { SandboxTimeout, TaskFailure } from '../sandbox/failures.js'
import type { RunOptions, Sandbox } from '../sandbox/sandbox.js'
import type { Hint } from './cached-copy.js'
import { type Decoded, type DocumentOwner, type PublishedDocument, sizeProblem } from './index/decode.js'
import type { Validated } from './validate.js'

/** The NFT that a document is of, on a chain that is served. */
interface Publisher {
  nft: Address
  chain: { chainId: number; keys: readonly ProviderKey[] }
}

/**
 * Reads documents in the sandbox: whoever pays for a transaction publishes whatever he likes. Each answer is one that
 * the event loop can go on with. Every method throws SandboxError where nothing can be read at present, which says
 * nothing of the document, or the reason of the signal.
 */
export class DocumentReader {
  /** `maxSize`: most bytes of a plain document. */
  constructor(
    private readonly sandbox: Sandbox,
    private readonly maxSize: number,
  ) {}

  /** Decrypts, decompresses and checks a published document. One that cannot be read within the limits has that as reason. */
  async decode(published: PublishedDocument, publisher: Publisher, options: RunOptions = {}): Promise<Decoded> {
    return this.tried(published, publisher, options).catch(asReason)
  }

  /** The same for the index, which writes the answer down: it goes first, and what took too long is tried once more. */
  async decodeForGood(published: PublishedDocument, publisher: Publisher, signal?: AbortSignal): Promise<Decoded> {
    const again = () => this.tried(published, publisher, { signal, first: true })
    return again()
      .catch((error: unknown) => {
        if (error instanceof SandboxTimeout) return again()
        throw error
      })
      .catch(asReason)
  }

  /** Checks a metadata cache's copy of the document with this SHA-256. */
  async decodeCopy(text: string, hash: Hex, publisher: Publisher): Promise<Decoded> {
    return this.sandbox.run('copy', { text, hash, owner: this.owner(publisher) }).catch(asReason)
  }

  /** Where a metadata cache says that an asset is, by the text of its answer; undefined where that cannot be read. */
  async hint(text: string): Promise<Hint | undefined> {
    if (text.length > this.maxSize + BOUNDS.document.overhead) return undefined
    const hint = await this.sandbox.run('hint', text).catch(asReason)
    return hint && 'nft' in hint ? hint : undefined
  }

  /** Checks a document that is about to be published. */
  async validate(bytes: Uint8Array, options: RunOptions = {}): Promise<Validated> {
    if (bytes.length > this.maxSize) return { problems: { body: `The body is larger than ${this.maxSize} bytes.` } }
    // a copy, since it may lie in a buffer that is shared with other requests
    const read = await this.sandbox.run('validate', Uint8Array.from(bytes), options).catch(asReason)
    return 'reason' in read ? { problems: { body: `The body ${read.reason}.` } } : read
  }

  private async tried(published: PublishedDocument, publisher: Publisher, options: RunOptions): Promise<Decoded> {
    const tooLarge = sizeProblem(published, this.maxSize)
    if (tooLarge) return { reason: tooLarge }
    return this.sandbox.run('document', { published, owner: this.owner(publisher) }, options)
  }

  private owner({ nft, chain: { chainId, keys } }: Publisher): DocumentOwner {
    return { nft, chainId, keys, maxSize: this.maxSize }
  }
}

/** What is wrong with a document that could not be read to the end. Throws what says nothing of the document. */
function asReason(error: unknown): { reason: string } {
  if (error instanceof TaskFailure) return { reason: error.message }
  throw error
}
