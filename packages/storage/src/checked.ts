import { safeParse, validationError } from '@tidegate/protocol'
import type { Storage, StoredFile } from './storage.js'

/** Validates a storage object and binds it to its kind. Throws ValidationError, which names fields, never values. */
export function checkedFile<T>(storage: Storage<T>, object: object): StoredFile {
  const parsed = safeParse(storage.schema, { ...object, type: storage.type })
  if (!parsed.success) throw validationError(parsed.error, object)
  return {
    type: storage.type,
    describesByReading: storage.describesByReading ?? false,
    check: (userdata) => storage.check?.(parsed.data, userdata),
    outline: () => storage.outline?.(parsed.data),
    describe: (context) => storage.describe(parsed.data, context),
    open: (request) => storage.open(parsed.data, request),
  }
}
