import type { Driver } from '@tidegate/database'
import { StartError } from '@tidegate/protocol'
import type { Identity } from '../identity.js'
import { identityStore, markCopying } from '../identity.js'
import { readMarker } from '../marker.js'
import { type Database, nameOf } from './place.js'
import { durableTables } from './schema.js'

/**
 * Refuses a source that is not the current state, and a target that holds another state. Marks the target as
 * incomplete. Returns false if the source was already copied to it and retired. Throws StartError.
 */
export async function prepare(from: Database, source: Identity, to: Database, target: Driver): Promise<boolean> {
  const current = await identityStore(target).get()
  if (source.copying !== undefined)
    throw new StartError([`${nameOf(from)} holds an unfinished copy itself: finish or remove that first.`])
  if (source.id === current.id)
    throw new StartError([`${nameOf(to)} is a copy of the source's files: use an empty database.`])
  if (source.successor !== undefined && source.successor !== current.id)
    throw new StartError([`${nameOf(from)}: its state was moved to another database than this one.`])
  refuseThirdState(from, to, source, current)
  const known = [source.id, ...source.contains]
  const isUnfinished = current.copying !== undefined && known.includes(current.copying)
  if (source.successor === current.id && current.contains.includes(source.id) && !isUnfinished) return false
  if (!isUnfinished && !known.includes(current.id) && (current.copying !== undefined || (await holdsState(target))))
    throw new StartError([
      `${nameOf(to)} holds another state, which is not an earlier copy of this one: use an empty database.`,
    ])
  await markCopying(target, source.id)
  return true
}

/** Throws StartError if the marker of a folder names a state other than these two. */
function refuseThirdState(from: Database, to: Database, ...identities: Identity[]): void {
  for (const place of [from, to]) {
    if (place.kind !== 'embedded') continue
    let marker: ReturnType<typeof readMarker>
    try {
      marker = readMarker(place.folder)
    } catch (error) {
      throw new StartError([`${place.folder}: ${(error as Error).message}.`])
    }
    if (marker === undefined) continue
    if (identities.some(({ id, contains }) => id === marker.id || contains.includes(marker.id))) continue
    const where = marker.database === 'postgres' ? 'a PostgreSQL database' : 'an embedded database'
    throw new StartError([
      `${place.folder}: the state of this installation was last in ${where} that is neither of the two.`,
    ])
  }
}

/** Whether a database holds anything that would be irrecoverably lost with it. */
export async function holdsState(db: Driver): Promise<boolean> {
  const found = durableTables().map((name) => `EXISTS (SELECT 1 FROM ${name})`)
  const query = { text: `SELECT 1 AS found WHERE ${found.join(' OR ')}`, values: [], single: true }
  return (await db.query(query)).rows.length > 0
}
