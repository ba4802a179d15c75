import { setTimeout as sleep } from 'node:timers/promises'
import { REFRESH_ALL } from '@tidegate/catalog'
import type { Driver } from '@tidegate/database'
import { InUseError } from '@tidegate/database/sqlite'
import { StartError } from '@tidegate/protocol'
import { PROVIDER_LIMITS } from '../../limits.js'
import type { Identity } from '../identity.js'
import { identityStore } from '../identity.js'
import { writeMarker } from '../marker.js'
import { prepare } from './admission.js'
import { type Copied, compareCounts, copyTables, countOf } from './pass.js'
import { assertPresent, type Database, explained, isSame, nameOf, openExclusive } from './place.js'
import { ageOfState, copiedTables } from './schema.js'
import { identityIn, openSnapshot, type Snapshot } from './snapshot.js'

export interface CopyOptions {
  /** Copies a source in use, and completes after its service has stopped. */
  online?: boolean
  /** Receives a line for the operator. */
  report: (line: string) => void
}

/**
 * Copies a state to another database, which replaces the source. The last pass reads a source without users, so that
 * nothing is missing. May be interrupted and repeated. Returns false if the source was copied before. Throws StartError.
 */
export async function copyState(
  from: Database,
  to: Database,
  { online = false, report }: CopyOptions,
): Promise<boolean> {
  if (isSame(from, to)) throw new StartError([`${nameOf(from)} is both the source and the destination.`])
  assertPresent(from)
  if (!online) return offline(from, to, report)
  const target = await openTarget(to)
  try {
    if (!(await explained(to, target, () => catchUp(from, to, target, report)))) return false
    report(`caught up. Stop every instance of the service on ${nameOf(from)} now; the copy then completes by itself.`)
    const source = await explained(to, target, () => openStopped(from, target, report))
    try {
      return await explained(to, target, () => complete({ from, source, to, target }, report))
    } finally {
      await source.close()
    }
  } finally {
    await target.close()
  }
}

async function offline(from: Database, to: Database, report: (line: string) => void): Promise<boolean> {
  const source = await openExclusive(from).catch((error: unknown) => {
    if (!(error instanceof InUseError)) throw error
    throw new StartError([`${nameOf(from)}: ${error.message}, or copy with --online.`])
  })
  try {
    const target = await openTarget(to)
    try {
      return await explained(to, target, () => complete({ from, source, to, target }, report))
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function openTarget(to: Database): Promise<Driver> {
  return openExclusive(to).catch((error: unknown) => {
    throw error instanceof InUseError ? new StartError([`${nameOf(to)}: ${error.message}.`]) : error
  })
}

/** Repeats passes until few rows change. Returns false if the source was copied before. */
async function catchUp(from: Database, to: Database, target: Driver, report: (line: string) => void) {
  for (let pass = 1; pass <= PROVIDER_LIMITS.transfer.passes; pass++) {
    const written = await livePass(from, to, target)
    if (written === undefined) return false
    report(`pass ${pass}: ${written} rows`)
    if (written < PROVIDER_LIMITS.transfer.caughtUp) return true
  }
  return true
}

/** Runs a pass over a source in use. Returns the written rows; undefined if the source was copied before. */
async function livePass(from: Database, to: Database, target: Driver): Promise<number | undefined> {
  const snapshot = await openSnapshot(from)
  try {
    if (ageOfState(snapshot.versions) !== 'current')
      throw new StartError([
        `${nameOf(from)} is used by another version of Tidegate: copy with that version, or without --online.`,
      ])
    if (!(await prepare(from, await identityOf(snapshot, from), to, target))) return undefined
    const copied = await copyTables(copiedTables(), snapshot, target)
    return changesIn(copied)
  } finally {
    await snapshot.close()
  }
}

const changesIn = (copied: Copied[]) => copied.reduce((sum, { written, removed }) => sum + written + removed, 0)

async function identityOf(snapshot: Snapshot, place: Database): Promise<Identity> {
  const identity = await identityIn(snapshot)
  if (!identity) throw new StartError([`${nameOf(place)} holds no state of Tidegate.`])
  return identity
}

/** Waits until the source has no users, and opens it exclusively. Runs passes meanwhile. */
async function openStopped(from: Database, target: Driver, report: (line: string) => void): Promise<Driver> {
  let nextPass = performance.now() + PROVIDER_LIMITS.transfer.passInterval
  for (;;) {
    try {
      return await openExclusive(from)
    } catch (error) {
      if (!(error instanceof InUseError)) throw error
    }
    await sleep(PROVIDER_LIMITS.transfer.stopPollInterval)
    if (performance.now() < nextPass) continue
    const snapshot = await openSnapshot(from)
    try {
      const copied = await copyTables(copiedTables(), snapshot, target)
      report(`while waiting: ${changesIn(copied)} rows`)
    } finally {
      await snapshot.close()
    }
    nextPass = performance.now() + PROVIDER_LIMITS.transfer.passInterval
  }
}

interface Both {
  from: Database
  source: Driver
  to: Database
  target: Driver
}

/** Runs the last pass with exclusive use of both databases. Then the target replaces the source. */
async function complete({ from, source, to, target }: Both, report: (line: string) => void): Promise<boolean> {
  const identity = await identityStore(source).get()
  await assertAccepted(from, source)
  if (!(await prepare(from, identity, to, target))) {
    report('it was copied already')
    return false
  }
  const snapshot = await openSnapshot(from)
  try {
    const copied = await copyTables(copiedTables(), snapshot, target, (table) => report(lineOf(table)))
    await compareCounts(copied, target)
    await target.query({ text: REFRESH_ALL, values: [] })
    const documents = await target.session((run) => countOf('search_pending', run))
    report(`search rows: are made of the index by the service, for ${documents} documents`)
  } finally {
    await snapshot.close()
  }
  // in this order, no service can start on both at any time
  const { id } = await identityStore(target).get()
  await identityStore(source).retire(id)
  await identityStore(target).contain([identity.id, ...identity.contains])
  for (const place of [from, to])
    if (place.kind === 'embedded')
      writeMarker(place.folder, { database: to.kind === 'embedded' ? 'embedded' : 'postgres', id })
  return true
}

/** Throws StartError for a database from a dump: its copy would accept used requests. */
async function assertAccepted(place: Database, driver: Driver): Promise<void> {
  if (await identityStore(driver).isRestored())
    throw new StartError([`${nameOf(place)} was restored from a dump: run \`tidegate state restored\` on it first.`])
}

export function lineOf({ table, rows, written, removed }: Copied): string {
  const details = [`${written} written`, ...(removed > 0 ? [`${removed} removed`] : [])]
  return `${table}: ${rows} rows${written === rows && removed === 0 ? '' : ` (${details.join(', ')})`}`
}
