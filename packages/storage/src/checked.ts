import { safeParse, ValidationError, validationError } from '@tidegate/protocol'
import { publicNameProblem } from '@tidegate/protocol/public-name'
import type { FileDescription, Storage, StoredFile } from './storage.js'

/** Validates a storage object and binds it to its kind. Throws ValidationError, which names fields, never values. */
export function checkedFile<T>(storage: Storage<T>, object: object): StoredFile {
  const { name, ...rest } = object as { name?: unknown }
  const problem = name === undefined ? undefined : publicNameProblem(name)
  if (problem !== undefined) throw ValidationError.of('name', `The name field ${problem}.`)
  const parsed = safeParse(storage.schema, { ...rest, type: storage.type })
  if (!parsed.success) throw validationError(parsed.error, object)
  const file: StoredFile = {
    type: storage.type,
    describesByReading: storage.describesByReading ?? false,
    check: (userdata) => storage.check?.(parsed.data, userdata),
    outline: () => storage.outline?.(parsed.data),
    describe: (context) => storage.describe(parsed.data, context),
    open: (request) => storage.open(parsed.data, request),
  }
  return typeof name === 'string' ? named(file, name) : file
}

/** Returns a file that is described and opened under its public name. */
function named(file: StoredFile, publicName: string): StoredFile {
  const described = (one: FileDescription) => (one.valid ? { ...one, name: publicName } : one)
  return {
    ...file,
    publicName,
    outline: () => {
      const outline = file.outline()
      return outline && described(outline)
    },
    describe: async (context) => described(await file.describe(context)),
    open: async (request) => ({ ...(await file.open(request)), name: publicName }),
  }
}
