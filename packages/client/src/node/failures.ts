import { TidegateError } from '../errors.js'

const WORDS: Record<string, [code: string, message: string]> = {
  ENOSPC: ['DISK_FULL', 'The disk is full. The partial download is kept, and resumed once there is space.'],
  EDQUOT: [
    'DISK_FULL',
    'The quota of the disk is used up. The partial download is kept, and resumed once there is space.',
  ],
  EFBIG: ['DISK_FULL', 'The file is larger than the file system, or a limit of the process, allows.'],
  EIO: ['DISK_FAILED', 'The disk has failed while the file was written to it. Nothing of it is kept.'],
  EROFS: ['NOT_WRITABLE', 'The folder cannot be written to.'],
  EACCES: ['NOT_WRITABLE', 'The folder or file cannot be written to.'],
  EPERM: ['NOT_WRITABLE', 'The folder or file cannot be written to.'],
  ENOENT: ['NO_FOLDER', 'There is no such folder.'],
  ENOTDIR: ['NO_FOLDER', 'A part of the path is not a folder.'],
  EISDIR: ['FILE_EXISTS', 'There is a folder of this name.'],
  EEXIST: ['FILE_EXISTS', 'A file of this name already exists.'],
  ELOOP: ['NOT_WRITABLE', 'A part of the path is a link.'],
  ENAMETOOLONG: ['NAME_TOO_LONG', 'The name is too long: NAME.part and NAME.part.json lie beside the file.'],
}

/** Describes an error of the file system; returns any other unchanged. */
export function inWords(error: unknown): unknown {
  const [code, message] = WORDS[String((error as NodeJS.ErrnoException | undefined)?.code)] ?? []
  if (code === undefined || error instanceof TidegateError) return error
  const { path } = error as NodeJS.ErrnoException
  return new TidegateError(code, path === undefined ? (message as string) : `${path}: ${message}`, { cause: error })
}
