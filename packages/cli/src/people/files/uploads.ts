import { createHash } from 'node:crypto'
import { realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { FileObject, UploadProgress } from '@tidegate/client'
import { CommandError, misuse } from '@tidegate/provider/commands/failures'
import { showProgress } from '../output/progress.js'
import { interrupted } from '../output/prompts.js'
import { shown } from '../output/text.js'
import type { WalletSession } from '../session.js'
import { makePrivateFolder, uploadsFolder } from './folders.js'
import { mediaTypeOf } from './media-type.js'
import { assertUnchanged, type LocalFile } from './source-folder.js'
import type { Source } from './sources.js'

/**
 * The local files that a command publishes. Records the uploads until the asset is published, so that a repeated command
 * resumes them or finds them complete.
 */
export class Uploads {
  private readonly begun: string[] = []

  constructor(private readonly session: WalletSession) {}

  /**
   * Uploads the local files that the provider does not have, or resumes an earlier run. Returns all storage objects. Throws CommandError, also if a folder has
   * changed meanwhile, and TidegateError.
   */
  async objectsOf(sources: readonly Source[]): Promise<FileObject[]> {
    const objects: FileObject[] = []
    for (const source of sources)
      objects.push('object' in source ? source.object : (source.known ?? (await this.add(source))))
    for (const source of sources) if ('path' in source) assertUnchanged(source)
    return objects
  }

  private async add({ path, name }: LocalFile): Promise<FileObject> {
    const { client, signal, out } = this.session
    const { uploadFile } = await import('@tidegate/client/node')
    const kept = this.keptAs(path)
    const progress = await showProgress(shown(name ?? path, 60), 'uploading')
    try {
      const onProgress = ({ sent, total }: UploadProgress) => progress.update(sent, total)
      const { object, size, sha256 } = await uploadFile(client.context, path, {
        ...(name === undefined ? { anonymous: true } : { name }),
        contentType: mediaTypeOf(path),
        resume: kept,
        signal,
        onProgress,
      })
      progress.stop()
      out.note(`uploaded: ${shown(path)}  ${size} bytes  sha256 ${sha256}`)
      return object
    } catch (error) {
      if (signal.aborted) throw interrupted('interrupted; the uploaded part is kept. Repeat the command to resume.')
      throw withWayOn(path, error as Error & { code?: string })
    } finally {
      progress.stop()
    }
  }

  /** Forgets the uploads, so that the same file is not published twice. */
  forget(): void {
    for (const kept of this.begun) rmSync(kept, { force: true })
  }

  /** Returns the path of an upload's record, one for each provider, account and path. */
  private keptAs(path: string): string {
    const { where, address } = this.session
    const folder = uploadsFolder()
    try {
      makePrivateFolder(folder)
      const about = [where.provider, address, realpathSync(path)]
      const kept = join(folder, `${createHash('sha256').update(about.join('\n')).digest('hex')}.json`)
      this.begun.push(kept)
      return kept
    } catch (error) {
      throw misuse(`${shown(path)} cannot be uploaded: ${shown((error as Error).message)}.`)
    }
  }
}

/** Adds the file to an error, and another way if the provider hosts no files. */
export function withWayOn(path: string, error: Error & { code?: string }): Error {
  const { code = 'FAILED', message } = error
  if (code === 'HOSTING_OFF')
    return new CommandError(
      code,
      `${shown(path)}: this provider does not host files. Upload the file to http(s), IPFS, Arweave or S3, and publish its location.`,
    )
  // the session adds the provider
  return code === 'UNREACHABLE' ? error : new CommandError(code, `${shown(path)}: ${message}`)
}
