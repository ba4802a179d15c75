import { ValidationError } from '@tidegate/protocol'
import { checkedFile } from '../checked.js'
import type { Storage, StoredFile } from '../storage.js'
import { arweaveStorage } from './arweave.js'
import { ftpStorage } from './ftp.js'
import { graphqlStorage } from './graphql.js'
import { hostedStorage } from './hosted.js'
import { filecoinStorage, ipfsStorage } from './ipfs.js'
import { s3Storage } from './s3.js'
import { contractStorage } from './smartcontract.js'
import { sqlStorage } from './sql.js'
import type { StorageTools } from './tools.js'
import { urlStorage } from './url.js'

/** The kinds of storage by the `type` of their storage objects. */
const KINDS = {
  url: urlStorage,
  ipfs: ipfsStorage,
  graphql: graphqlStorage,
  arweave: arweaveStorage,
  smartcontract: contractStorage,
  filecoin: filecoinStorage,
  s3: s3Storage,
  sql: sqlStorage,
  ftp: ftpStorage,
  hosted: hostedStorage,
} as const

export const STORAGE_TYPES = Object.keys(KINDS)

/** Binds storage objects to their kinds of storage. */
export class StorageRegistry {
  private readonly kinds: Map<string, Storage>

  constructor(tools: StorageTools) {
    const gateways: Record<string, readonly string[]> = tools.gateways
    // without gateways their kind is off, and without a look-up hosting is off
    const isServed = (type: string) => (type === 'hosted' ? tools.hosted !== undefined : gateways[type]?.length !== 0)
    const served = Object.entries(KINDS).filter(([type]) => isServed(type))
    this.kinds = new Map(served.map(([type, kind]) => [type, kind(tools) as Storage]))
  }

  /** Returns the storage of a type, ignoring case; undefined if there is none. */
  kind(type: string): Storage | undefined {
    return this.kinds.get(type.toLowerCase())
  }

  /** Returns the type of a storage object; undefined if it is not supported. */
  typeOf(object: unknown): string | undefined {
    const type = (object as { type?: unknown } | null)?.type
    return typeof type === 'string' ? this.kind(type)?.type : undefined
  }

  /** Validates a storage object and binds it to its kind. Throws ValidationError, which names fields, never values. */
  file(object: unknown): StoredFile {
    const type = (object as { type?: unknown } | null)?.type
    const storage = typeof type === 'string' ? this.kind(type) : undefined
    if (!storage) throw ValidationError.of('type', `The type must be one of ${[...this.kinds.keys()].join(', ')}.`)
    return checkedFile(storage, object as object)
  }
}
