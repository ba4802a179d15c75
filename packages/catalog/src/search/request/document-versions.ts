import type { Clause } from '../syntax.js'
import { bool, EVERYTHING } from './clauses.js'

/** The major version of a document. */
export type MajorVersion = 4 | 5

/** Documents of version 5 are verifiable credentials, and say what they describe in this field. */
const VERSION_5: Clause = { kind: 'exists', path: 'credentialSubject', boost: 1 }

/**
 * Returns the major version of the documents in an index of Ocean Node (`op_ddo_v4.1.0`) or of Aquarius (`aquarius`, `v510`,
 * whose numbers are not those of documents); undefined for other names.
 */
export function versionOfIndex(name: string): MajorVersion | undefined {
  const [, major] = /^op_ddo_v(\d{1,3})(?:\.|$)/.exec(name) ?? []
  if (major === '4' || major === '5') return Number(major) as MajorVersion
  return major === undefined && /^(?:aquarius|v\d{1,9})$/.test(name) ? 4 : undefined
}

/** Returns the clause for documents of some major versions; undefined among them means any. */
export function ofVersions(versions: (MajorVersion | undefined)[]): Clause {
  const wanted = new Set(versions)
  if (wanted.has(undefined) || wanted.size !== 1) return EVERYTHING
  return wanted.has(5) ? VERSION_5 : bool({ must: [EVERYTHING], not: [VERSION_5] })
}
