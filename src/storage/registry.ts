import { ValidationError } from '../errors.js'
import { parsedBy, validationError } from '../validation.js'
import { arweaveStorage } from './arweave.js'
import { ftpStorage } from './ftp.js'
import { graphqlStorage } from './graphql.js'
import { filecoinStorage, ipfsStorage } from './ipfs.js'
import { s3Storage } from './s3.js'
import { contractStorage } from './smartcontract.js'
import { sqlStorage } from './sql.js'
import type { Asking, FileDescription, OpenedFile, OpenRequest, Storage, StorageTools, UserData } from './storage.js'
import { urlStorage } from './url.js'

/** Every kind of storage, by the `type` of its storage objects. To add one: write its file and name it here. */
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
} as const

/** The names of the kinds. */
export const STORAGE_TYPES = Object.keys(KINDS)

/** A storage object that was checked, with the kind that serves it. */
export interface StoredFile {
  type: string
  /** Whether even describing it reads parts of it. */
  describesByReading: boolean
  check(userdata: UserData | undefined): void
  outline(): FileDescription | undefined
  describe(asking: Asking): Promise<FileDescription>
  open(request: OpenRequest): Promise<OpenedFile>
}

/** Finds the storage for storage objects. */
export class StorageRegistry {
  private readonly kinds: Map<string, Storage>

  constructor(tools: StorageTools) {
    this.kinds = new Map(Object.entries(KINDS).map(([type, kind]) => [type, kind(tools) as Storage]))
  }

  /** Checks a storage object and binds it to its kind. Throws ValidationError by field, never with a value in it. */
  file(object: unknown): StoredFile {
    const type = (object as { type?: unknown } | null)?.type
    const storage = typeof type === 'string' ? this.kinds.get(type.toLowerCase()) : undefined
    if (!storage) throw ValidationError.of('type', `The type must be one of ${STORAGE_TYPES.join(', ')}.`)
    const parsed = parsedBy(storage.schema, { ...(object as object), type: storage.type })
    if (!parsed.success) throw validationError(parsed.error, object as object)
    return {
      type: storage.type,
      describesByReading: storage.describesByReading ?? false,
      check: (userdata) => storage.check?.(parsed.data, userdata),
      outline: () => storage.outline?.(parsed.data),
      describe: (asking) => storage.describe(parsed.data, asking),
      open: (request) => storage.open(parsed.data, request),
    }
  }
}
