import { statfs } from 'node:fs/promises'
import type { Settings } from '../config/schema.js'
import { allFiles, countOrphans, faultOf } from '../hosting/audit.js'
import { LocalPlace } from '../hosting/local-place.js'
import { s3Place } from '../hosting/open.js'
import type { Place } from '../hosting/place.js'
import { probe } from '../hosting/s3/probe.js'
import type { HostedStore } from '../state/store.js'

/** The result of one check. */
export interface Finding {
  ok: boolean
  text: string
  /** Whether a failure is only a warning: the service works, except for what needs this. */
  optional?: boolean
}

/** Checks the place of hosted files, and with `reads` the bytes of every one. Throws StartError. */
export async function* hostingFindings(
  settings: Settings,
  store: HostedStore,
  reads: boolean,
): AsyncGenerator<Finding> {
  const place = settings.HOSTING === 's3' ? s3Place(settings, { warn() {} }) : new LocalPlace(settings.HOSTING_DIR)
  try {
    const found = place instanceof LocalPlace ? await folderFinding(place, store) : await probe(place, store)
    yield found
    if (found.ok && reads) yield* fileFindings(place, store)
  } finally {
    await place.close()
  }
}

async function folderFinding({ folder }: LocalPlace, store: HostedStore): Promise<Finding> {
  const { files, bytes } = await store.totals()
  const disk = await statfs(folder).catch((error: NodeJS.ErrnoException) => error)
  if (disk instanceof Error) {
    // the service creates it at its start
    const isNew = disk.code === 'ENOENT' && files === 0
    const text = isNew ? 'is created at the start' : `cannot be used: ${disk.code}`
    return { ok: isNew, text: `hosted files: HOSTING_DIR ${folder} ${text}` }
  }
  const left = Number(disk.bavail) * Number(disk.bsize)
  return { ok: true, text: `hosted files: ${files} with ${bytes} bytes in ${folder}, ${left} bytes are left there` }
}

async function* fileFindings(place: Place, store: HostedStore): AsyncGenerator<Finding> {
  let read = 0
  for await (const file of allFiles(store)) {
    const fault = await faultOf(file, place).catch(() => 'unread' as const)
    if (fault === undefined) read += 1
    else yield { ok: false, text: `hosted file ${file.id} of ${file.owner}: ${FAULTS[fault]}` }
  }
  yield { ok: true, text: `hosted files: ${read} are as they were uploaded` }
  // a folder that was never made has none
  const strangers = await countOrphans(place, store).catch(() => 0)
  if (strangers > 0)
    yield { ok: false, optional: true, text: `hosted files: ${strangers} in their place are not in the database` }
}

const FAULTS = {
  missing: 'its bytes are missing',
  short: 'bytes that were acknowledged are missing',
  altered: 'its bytes are not those that were uploaded',
  unread: 'its bytes cannot be read now',
}
