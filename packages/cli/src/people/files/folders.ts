import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { assertOwnFolder, makeFolders, replaceFile } from '@tidegate/common/safe-files'

/** Returns a folder of the XDG Base Directory Specification, which ignores relative paths. */
const base = (variable: string, usual: string | undefined): string | undefined => {
  const given = process.env[variable]
  return given && isAbsolute(given) ? given : usual
}

/** Folder of the choice of `tidegate use`. */
export const configFolder = () => join(base('XDG_CONFIG_HOME', join(homedir(), '.config')) as string, 'tidegate')

const stateFolder = () => base('XDG_STATE_HOME', join(homedir(), '.local', 'state')) as string

/** Folder of the records of unfinished uploads. Each holds the id of a file, a secret. */
export const uploadsFolder = () => join(stateFolder(), 'tidegate', 'uploads')

/** Folder of signed payments whose outcome is not known. Each has the name of a payment, a secret. */
export const paymentsFolder = () => join(stateFolder(), 'tidegate', 'payments')

/** Folder of the receipts of signed payments, a file for each order. */
export const receiptsFolder = () => join(stateFolder(), 'tidegate', 'receipts')

/** Folder of the sessions in which credentials were presented, a file for each provider and account. Each is a secret. */
export const sessionsFolder = () => join(stateFolder(), 'tidegate', 'sessions')

/** Folder of what agents have spent, a file for each day. */
export const spendingFolder = () => join(stateFolder(), 'tidegate', 'spending')

/** Folders for the notes of running programs. Not every system or session has a runtime folder. */
export function runFolders(): string[] {
  const runtime = base('XDG_RUNTIME_DIR', undefined)
  return [...(runtime ? [runtime] : []), stateFolder()].map((folder) => join(folder, 'tidegate'))
}

/**
 * Creates a folder for this user alone. Throws UnsafeFileError if another user could write to it, and errors of the file
 * system.
 */
export function makePrivateFolder(path: string): void {
  makeFolders(path, 0o700)
  assertOwnFolder(path)
}

/** Writes a file that only its owner can read, completely or not at all. Throws like `makePrivateFolder`. */
export function writePrivately(path: string, content: string): void {
  makePrivateFolder(dirname(path))
  replaceFile(path, content)
}
