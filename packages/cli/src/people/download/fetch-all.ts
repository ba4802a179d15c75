import { lstatSync, rmdirSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { placeBelow } from '@tidegate/client/node'
import { renameAnew } from '@tidegate/common/safe-files'
import { CommandError } from '@tidegate/provider/commands/failures'
import { shown } from '../output/text.js'
import type { WalletSession } from '../session.js'
import { type Fetched, fetchFile, type WantedFile } from './fetch.js'
import { type FolderPlan, inTheWay, type Listed, type Missing, planFolder } from './folder-plan.js'
import { Manifest, type Written } from './manifest.js'
import { assertUnmixed } from './unmixed.js'

/** A folder that is to be filled with all files of a service. */
export interface Filling {
  manifest: Manifest
  plan: FolderPlan
  /** Whether it is made equal: what is gone is moved or removed. */
  sync: boolean
}

/**
 * Compares a folder with the files of a service. Throws CommandError if the download would mix versions, or replace what no download wrote
 * (unless `force`), and TidegateError if something is in the way of a file.
 */
export async function planFilling(
  folder: string,
  listed: Omit<Listed, 'again'>,
  { sync, force }: { sync: boolean; force: boolean },
): Promise<Filling> {
  if (sync && listed.files.length === 0)
    throw new CommandError(
      'FILES_UNKNOWN',
      'the provider does not tell the files of the asset now. Nothing was removed.',
    )
  const manifest = new Manifest(folder)
  const plan = await planFolder(manifest, { ...listed, again: force && !sync })
  assertUnmixed(plan, folder, { sync, force })
  return { manifest, plan, sync }
}

/** The result of `get --all`. */
export interface FetchedAll {
  files: Fetched[]
  /** Number of files that are there already. */
  present: number
  /** Paths of files that were removed or moved, below the folder. */
  removed: string[]
}

type WantedAll = Omit<WantedFile, 'file' | 'nameInFolder'>

/**
 * Carries out a plan: downloads what is missing into the folder, under the publisher's paths, and notes each file in the manifest. With
 * `sync`, what is gone is moved to its new path or removed first. Throws like `fetchFile`.
 */
export async function fetchAll(
  session: WalletSession,
  wanted: WantedAll,
  { manifest, plan, sync }: Filling,
): Promise<FetchedAll> {
  const { out } = session
  const removed: string[] = []
  const missing = sync ? await withoutMoved(manifest, plan, removed) : plan.missing
  if (sync) removeGone(manifest, plan.gone, removed)
  for (const path of plan.kept) out.note(`${shown(path)} stays: it was changed here, and the asset has it no more`)
  for (const path of removed) out.note(`removed ${shown(path)}`)
  const files: Fetched[] = []
  for (const file of missing) files.push(await fetchMissing(session, wanted, file, manifest, plan))
  const present = plan.present + plan.missing.length - missing.length
  if (present > 0) out.note(`${present} ${present === 1 ? 'file is' : 'files are'} there already`)
  return { files, present, removed }
}

async function fetchMissing(
  session: WalletSession,
  wanted: WantedAll,
  { index: file, id, path, replaces }: Missing,
  manifest: Manifest,
  { paths }: FolderPlan,
): Promise<Fetched> {
  const { folder } = manifest
  const place = path === undefined ? undefined : placeBelow(folder, path, true)
  const fetched = await fetchFile(session, {
    ...wanted,
    file,
    force: wanted.force || replaces,
    ...(place === undefined
      ? { target: { folder }, nameInFolder: (told: string) => paths.pathOf(file, told) }
      : { target: { folder: dirname(place), name: basename(place) } }),
  })
  const { bytes, sha256 } = fetched
  const { did, service } = wanted
  const { mtimeMs: modified } = lstatSync(fetched.path)
  manifest.add({ did, service, path: path ?? basename(fetched.path), id, bytes, sha256, modified })
  return fetched
}

/** Moves gone files whose identity the asset has at a free path. Returns what is still missing. */
async function withoutMoved(manifest: Manifest, { gone, missing }: FolderPlan, removed: string[]): Promise<Missing[]> {
  const byId = new Map(gone.map((entry) => [entry.id, entry]))
  const isInTheWay = inTheWay(gone)
  const left: Missing[] = []
  for (const file of missing) {
    const { id, path, replaces } = file
    const isMovable = id !== undefined && path !== undefined && !replaces && !isInTheWay(path)
    const entry = isMovable ? byId.get(id) : undefined
    if (!entry || (file.size !== undefined && file.size !== entry.bytes)) left.push(file)
    else {
      byId.delete(entry.id)
      const from = placeBelow(manifest.folder, entry.path, false)
      const to = placeBelow(manifest.folder, path as string, true)
      await renameAnew(from, to)
      manifest.add({ ...entry, path: path as string })
      forget(manifest, entry, removed)
    }
  }
  return left
}

function removeGone(manifest: Manifest, gone: Written[], removed: string[]): void {
  for (const entry of gone) {
    if (removed.includes(entry.path)) continue
    rmSync(placeBelow(manifest.folder, entry.path, false), { force: true })
    forget(manifest, entry, removed)
  }
}

function forget(manifest: Manifest, entry: Written, removed: string[]): void {
  manifest.remove(entry)
  removed.push(entry.path)
  removeEmpty(manifest.folder, dirname(entry.path))
}

/** Removes the folders of a path that are empty, up to the folder. */
function removeEmpty(folder: string, path: string): void {
  for (let at = path; at !== '.'; at = dirname(at)) {
    try {
      rmdirSync(join(folder, at))
    } catch {
      // it has other files
      return
    }
  }
}
