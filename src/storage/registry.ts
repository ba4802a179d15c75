import { ValidationError } from '../errors.js'
import { validationError } from '../validation.js'
import type { FileDescription, OpenedFile, OpenRequest, Storage, StorageTools, UserData } from './storage.js'
import { urlStorage } from './url.js'

/** Every kind of storage. To add one: write its file and name it here. */
const KINDS = [urlStorage] as const

/** A storage object that was checked, with the kind that serves it. */
export interface StoredFile {
  type: string
  describe(userdata?: UserData): Promise<FileDescription>
  open(request: OpenRequest): Promise<OpenedFile>
}

/** Finds the storage for storage objects. */
export class StorageRegistry {
  private readonly kinds: Map<string, Storage>

  constructor(tools: StorageTools) {
    this.kinds = new Map(KINDS.map((kind) => kind(tools) as Storage).map((storage) => [storage.type, storage]))
  }

  /** The names of the kinds, as `type` takes them. */
  get types(): string[] {
    return [...this.kinds.keys()]
  }

  /** Checks a storage object and binds it to its kind. Throws ValidationError by field, never with a value in it. */
  file(object: unknown): StoredFile {
    const type = (object as { type?: unknown } | null)?.type
    const storage = typeof type === 'string' ? this.kinds.get(type.toLowerCase()) : undefined
    if (!storage) throw ValidationError.of('type', `The type must be one of ${this.types.join(', ')}.`)
    const parsed = storage.schema.safeParse({ ...(object as object), type: storage.type })
    if (!parsed.success) throw validationError(parsed.error, object as object)
    return {
      type: storage.type,
      describe: (userdata) => storage.describe(parsed.data, userdata),
      open: (request) => storage.open(parsed.data, request),
    }
  }
}
