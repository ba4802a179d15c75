import { statfs } from 'node:fs/promises'
import {
  allFiles,
  countOrphans,
  type FileBackend,
  faultOf,
  type HostedStore,
  LocalBackend,
  probe,
} from '@tidegate/hosting'
import { s3Backend } from '../../app/hosting.js'
import type { Settings } from '../../config/schema.js'

/** The result of one check. */
export interface Finding {
  ok: boolean
  text: string
  /** A failure is only a warning: the service works without this part. */
  optional?: boolean
}

/** Checks the backend of hosted files; with `reads`, also the bytes of every file. Throws StartError. */
export async function* hostingFindings(
  settings: Settings,
  store: HostedStore,
  reads: boolean,
): AsyncGenerator<Finding> {
  const backend =
    settings.HOSTING === 's3' ? s3Backend(settings, { warn() {} }) : new LocalBackend(settings.HOSTING_DIR)
  try {
    const found = backend instanceof LocalBackend ? await folderFinding(backend, store) : await probe(backend, store)
    yield found
    if (found.ok && reads) yield* fileFindings(backend, store)
  } finally {
    await backend.close()
  }
}

async function folderFinding({ folder }: LocalBackend, store: HostedStore): Promise<Finding> {
  const { files, bytes } = await store.totals()
  const disk = await statfs(folder).catch((error: NodeJS.ErrnoException) => error)
  if (disk instanceof Error) {
    // the service creates the folder at its start
    const isNew = disk.code === 'ENOENT' && files === 0
    const text = isNew ? 'is created at the start' : `cannot be used: ${disk.code}`
    return { ok: isNew, text: `hosted files: HOSTING_DIR ${folder} ${text}` }
  }
  const left = Number(disk.bavail) * Number(disk.bsize)
  return { ok: true, text: `hosted files: ${files} with ${bytes} bytes in ${folder}, ${left} bytes are left there` }
}

async function* fileFindings(backend: FileBackend, store: HostedStore): AsyncGenerator<Finding> {
  let read = 0
  for await (const file of allFiles(store)) {
    const fault = await faultOf(file, backend).catch(() => 'unread' as const)
    if (fault === undefined) read += 1
    else yield { ok: false, text: `hosted file ${file.id} of ${file.owner}: ${FAULTS[fault]}` }
  }
  yield { ok: true, text: `hosted files: ${read} are as they were uploaded` }
  // a missing folder has no orphans
  const strangers = await countOrphans(backend, store).catch(() => 0)
  if (strangers > 0)
    yield { ok: false, optional: true, text: `hosted files: ${strangers} in their place are not in the database` }
}

const FAULTS = {
  missing: 'its bytes are missing',
  short: 'bytes that were acknowledged are missing',
  altered: 'its bytes are not those that were uploaded',
  unread: 'its bytes cannot be read now',
}
