import { assertFileNames, TidegateError, upload } from '@tidegate/client'
import { typeOf } from '../../format/media-type.js'
import { publishText } from '../../text/publish.js'
import { contextNow } from '../context.js'
import { beginWork } from '../page/busy.js'
import { addFiles, draft, dropFile, editFile, shareDraft, type UploadFile } from './draft.js'
import { MOST_FILES, type NamedFile } from './dropped.js'
import { fingerprintOf } from './fingerprint.js'

/** The files of this visit: after a reload they must be chosen again. */
const chosen = new Map<string, File>()
const running = new Map<string, AbortController>()
let count = 0

export interface Added {
  /** Number of files that resume an interrupted upload. */
  resumed: number
  /** Names of files that differ from an interrupted upload of the same name. */
  different: string[]
}

/**
 * Adds files to the draft and uploads them in sequence. A file that an interrupted upload needs resumes it; a different file
 * of the same name is reported. Throws TidegateError, and adds none, if there are too many or if names clash.
 */
export async function addUploads(files: readonly NamedFile[]): Promise<Added> {
  const known = uploadsOf('needs-file')
  const resumed = new Map<string, File>()
  const fresh: (NamedFile & { fingerprint: string })[] = []
  for (const one of files) {
    const fingerprint = await fingerprintOf(one.file)
    const same = known.find((upload) => upload.fingerprint === fingerprint && !resumed.has(upload.key))
    if (same) resumed.set(same.key, one.file)
    else fresh.push({ ...one, fingerprint })
  }
  assertAddable(fresh)
  for (const [key, file] of resumed) {
    chosen.set(key, file)
    editFile(key, { status: 'waiting', error: undefined })
  }
  const left = uploadsOf('needs-file')
  const different = fresh.filter(({ name }) => left.some((one) => one.name === name)).map(({ name }) => name)
  addFiles(
    fresh.map(({ file, name, fingerprint }) => {
      const key = `${Date.now().toString(36)}-${count++}`
      chosen.set(key, file)
      const type = typeOf(file)
      return { key, kind: 'upload', name, size: file.size, type, fingerprint, sent: 0, status: 'waiting' }
    }),
  )
  void next()
  return { resumed: resumed.size, different }
}

const uploadsOf = (...states: UploadFile['status'][]) =>
  draft
    .get()
    .files.filter(
      (one): one is UploadFile => one.kind === 'upload' && (states.length === 0 || states.includes(one.status)),
    )

function assertAddable(files: readonly NamedFile[]): void {
  const uploads = uploadsOf()
  if (files.length + uploads.length > MOST_FILES)
    throw new TidegateError('TOO_MANY_FILES', publishText.tooManyFiles(MOST_FILES))
  // the others are replaced by files of the same name
  const own = uploads.filter(({ status }) => status !== 'needs-file')
  assertFileNames([...own, ...files].map(({ name }) => name))
}

/** Starts the next waiting upload. One at a time, so that each has the full bandwidth and a wallet is asked once. */
export async function next(): Promise<void> {
  if (running.size > 0) return
  // files that were chosen in another tab are uploaded there
  const waiting = draft
    .get()
    .files.find((one): one is UploadFile => one.kind === 'upload' && one.status === 'waiting' && chosen.has(one.key))
  const file = waiting && chosen.get(waiting.key)
  if (!waiting || !file) return
  await send(waiting, file)
  void next()
}

async function send({ key, type, uploadId }: UploadFile, file: File): Promise<void> {
  const controller = new AbortController()
  const ended = beginWork()
  running.set(key, controller)
  editFile(key, { status: 'uploading', error: undefined })
  try {
    const { object, sha256 } = await upload(contextNow(), file, {
      // the draft decides later whether the file is published with its name
      anonymous: true,
      contentType: type,
      signal: controller.signal,
      ...(uploadId ? { resume: uploadId } : {}),
      onBegun: (id) => editFile(key, { uploadId: id }),
      onProgress: ({ sent }) => editFile(key, { sent }),
    })
    editFile(key, { status: 'done', sent: file.size, object, sha256 })
  } catch (error) {
    if (controller.signal.aborted) editFile(key, { status: 'paused' })
    else if (error instanceof TidegateError && error.code === 'FILE_CHANGED')
      editFile(key, { status: 'failed', error, uploadId: undefined, sent: 0 })
    else editFile(key, { status: 'failed', error })
  } finally {
    ended()
    running.delete(key)
  }
}

export function pauseUpload(key: string): void {
  const controller = running.get(key)
  if (controller) controller.abort(new DOMException('Paused.', 'AbortError'))
  else editFile(key, { status: 'paused' })
}

export function resumeUpload(key: string): void {
  editFile(key, { status: chosen.has(key) ? 'waiting' : 'needs-file' })
  void next()
}

/** Removes a file from the draft. The provider deletes its upload after a time. */
export function removeUpload(key: string): void {
  chosen.delete(key)
  dropFile(key)
}

shareDraft((key) => chosen.has(key))
// removed here, or discarded with the draft in another tab
draft.subscribe(() => {
  const { files } = draft.get()
  for (const [key, controller] of running)
    if (!files.some((file) => file.key === key)) controller.abort(new DOMException('Removed.', 'AbortError'))
})
