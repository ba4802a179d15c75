import type { Asset, AssetQuery, SearchResult, VerifiedPublishers } from '@tidegate/protocol/asset'
import type { Json } from '@tidegate/protocol/values'
import type { Address } from 'viem'
import type { Input, Output } from './shapes.js'
import type { KnownOrder } from './views.js'

/** The reads of the tools. The service answers them in process, and the command line by the client library over HTTP. */
export interface Reader {
  /** Base URL of the provider, without a slash at its end. */
  readonly url: string
  search(query: AssetQuery, signal: AbortSignal): Promise<SearchResult>
  asset(did: string, signal: AbortSignal): Promise<Asset>
  /** Returns the document of an asset as the provider serves it. */
  document(did: string, signal: AbortSignal): Promise<Json>
  /** Requests the first `bytes` bytes of a public file. `path`: below `url`. */
  publicFile(path: string, bytes: number, signal: AbortSignal): Promise<PublicFile>
  /** The names that the operator of the provider has verified. */
  verifiedPublishers(signal: AbortSignal): Promise<VerifiedPublishers>
  quote(input: Input<'quote'>, signal: AbortSignal): Promise<Output<'quote'>>
  /** The newest orders of an address, at most one more than are shown. */
  orders(address: string | undefined, signal: AbortSignal): Promise<{ address: Address; orders: readonly KnownOrder[] }>
  /** Creates a link that is a secret of the buyer. */
  link(input: Input<'link'>, signal: AbortSignal): Promise<{ url: string; expires: Date }>
}

/** The answer to a request for a public file, whose body may be longer than what was requested. */
export interface PublicFile {
  headers: { get(name: string): string | null }
  body: {
    getReader(): {
      read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
      cancel(): Promise<void>
    }
  } | null
}
