import { join } from 'node:path'
import { safePath } from '@tidegate/client/node'
import { appendLine, readBeside } from '@tidegate/common/safe-files'
import { CLI_LIMITS } from '../../limits.js'
import { jsonLines } from '../lines.js'

/** The name of the manifest in a folder. No name of a publisher begins with a dot there. */
const NAME = '.tidegate.jsonl'

const { manifest: MOST } = CLI_LIMITS.files

/** A file that `get --all` wrote into a folder. */
export interface Written {
  did: string
  service: string
  /** Below the folder. */
  path: string
  /** The identity of the file; undefined if the provider tells none. */
  id?: string | undefined
  bytes: number
  /** As hex. */
  sha256: string
  /** When it was written, in milliseconds since 1970. */
  modified: number
}

type Removed = Pick<Written, 'did' | 'service' | 'path'> & { removed: true }

/**
 * What `get --all` wrote into a folder, of any assets: a line of JSON for each change, the last one of a path holds. Lines are added and
 * never replaced, so that an interruption loses no other. A copied folder brings its manifest, so it is read like a stranger's file:
 * its paths stay below the folder, and broken lines are left out.
 */
export class Manifest {
  private readonly path: string
  private readonly written = new Map<string, Written>()

  /** Throws UnsafeFileError, errors of the file system. */
  constructor(readonly folder: string) {
    this.path = join(folder, NAME)
    for (const line of jsonLines(this.text())) {
      const read = changeIn(line)
      if (!read) continue
      if ('removed' in read) this.written.delete(read.path)
      else this.written.set(read.path, read)
    }
  }

  /** Returns the files of a service that are in the folder, by their paths. */
  of(did: string, service: string): Map<string, Written> {
    return new Map([...this.written].filter(([, entry]) => entry.did === did && entry.service === service))
  }

  /** Notes a file that was written. */
  add(entry: Written): void {
    this.append(entry)
    this.written.set(entry.path, entry)
  }

  /** Notes that a file was removed. */
  remove({ did, service, path }: Written): void {
    this.append({ did, service, path, removed: true })
    this.written.delete(path)
  }

  private text(): string {
    try {
      return readBeside(this.path, MOST)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
      throw error
    }
  }

  private append(line: Written | Removed): void {
    appendLine(this.path, JSON.stringify(line), { isPrivate: false })
  }
}

/** Reads a line; undefined if it is not one of a manifest. */
function changeIn(line: unknown): Written | Removed | undefined {
  if (typeof line !== 'object' || line === null) return undefined
  const read = line as Written | Removed
  const { did, service, path } = read
  if (![did, service, path].every((text) => typeof text === 'string')) return undefined
  if (path === '' || safePath(path) !== path) return undefined
  if ('removed' in read) return read
  const { id, bytes, sha256, modified } = read
  const isWhole = [bytes, modified].every(Number.isFinite) && typeof sha256 === 'string'
  return isWhole && (id === undefined || typeof id === 'string') ? read : undefined
}
