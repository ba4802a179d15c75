import { z } from 'zod'
import { BOUNDS } from '../bounds.js'

const LIMITS = BOUNDS.document

/**
 * One entry of an allow or deny list: `type` says what the values are; only `address` is known here. Values that are
 * no list make no other document of it: `access/policy.ts` says what such an entry means.
 */
const credential = z.looseObject({
  type: z.string().max(LIMITS.name, `must not be longer than ${LIMITS.name} characters`),
  values: z.unknown().optional(),
})

const credentials = z.looseObject({
  allow: z.array(credential).nullish(),
  deny: z.array(credential).nullish(),
  /** Whether one entry is enough (any, the default) or all must name the consumer. */
  match_allow: z.string().optional(),
})

/** Version 4 has one object; version 5 a list too, of such objects or of plain entries, which count as allowed. */
export const credentialsField = z
  .union([credentials, z.array(z.union([credential, credentials]))])
  .nullish()
  .transform((value) => {
    const list = Array.isArray(value) ? value : value ? [value] : []
    const entries = list.filter((entry) => 'type' in entry).map(asEntry)
    const objects = list.filter((entry): entry is Credentials => !('type' in entry))
    return entries.length > 0 ? [...objects, { allow: entries }] : objects
  })

/** A plain entry; where its type is no text, it is of a type that nobody knows. */
function asEntry({ type, ...rest }: Record<string, unknown>): z.infer<typeof credential> {
  return { ...rest, type: typeof type === 'string' ? type : '' }
}

export type Credentials = z.infer<typeof credentials>
export type CredentialEntry = z.infer<typeof credential>

/** Whether the values of an entry are addresses. */
export function isAddressType({ type }: CredentialEntry): boolean {
  return type.toLowerCase() === 'address'
}

/** The values of an entry; undefined where it has no list of them. */
export function valuesOf({ values }: CredentialEntry): unknown[] | undefined {
  return Array.isArray(values) ? values : undefined
}

/** Whether it is an address entry that does not say which addresses. */
export function isMalformed(entry: CredentialEntry): boolean {
  return isAddressType(entry) && valuesOf(entry) === undefined
}
