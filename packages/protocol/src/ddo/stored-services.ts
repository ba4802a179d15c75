import { withoutAdded } from '../added-fields.js'
import { PROTOCOL_LIMITS } from '../limits.js'
import type { DeclaredService } from './opened.js'

/** Returns a document without added fields as JSON. */
export function ownText(document: Record<string, unknown>): string {
  return JSON.stringify(withoutAdded(document))
}

/**
 * Returns id and datatoken of each service as JSON, to store with the text of the document. Undefined if the text is not
 * the serialized document, or if serving it needs further fields (`readable.ts`).
 */
export function storedServices(
  text: string,
  document: Record<string, unknown>,
  own = ownText(document),
): string | undefined {
  // version 5 has its services elsewhere, and no valid document is empty
  if ((document.credentialSubject ?? undefined) !== undefined || text === '{}' || own !== text) return undefined
  const services = (document.services ?? []) as DeclaredService[]
  const stored = JSON.stringify(services.map(({ id, datatokenAddress }) => [id, datatokenAddress]))
  return stored.length > PROTOCOL_LIMITS.document.storedServices ? undefined : stored
}

/** Parses a result of `storedServices`. */
export function readServices(stored: string): DeclaredService[] {
  const listed = JSON.parse(stored) as [id: string, datatokenAddress: string][]
  return listed.map(([id, datatokenAddress]) => ({ id, datatokenAddress }))
}
