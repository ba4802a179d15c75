import type { VerifiedPublishers } from '@tidegate/protocol/asset'
import type { Operator } from '@tidegate/protocol/operator'
import type { Settings } from './schema.js'

type OperatorSettings = Pick<
  Settings,
  'OPERATOR_NAME' | 'OPERATOR_URL' | 'OPERATOR_CONTACT' | 'IMPRINT_URL' | 'PRIVACY_URL' | 'TERMS_URL'
>

/** Returns the operator of the settings; undefined if they name none. */
export function operatorOf(settings: OperatorSettings): Operator | undefined {
  const fields = {
    name: settings.OPERATOR_NAME,
    url: settings.OPERATOR_URL,
    contact: settings.OPERATOR_CONTACT,
    imprint: settings.IMPRINT_URL,
    privacy: settings.PRIVACY_URL,
    terms: settings.TERMS_URL,
  }
  const named = Object.entries(fields).filter(([, value]) => value !== undefined)
  return named.length === 0 ? undefined : Object.fromEntries(named)
}

const NONE: VerifiedPublishers = new Map()

/** Returns the names of verified publishers. */
export function verifiedPublishersOf({
  VERIFIED_PUBLISHERS,
}: Pick<Settings, 'VERIFIED_PUBLISHERS'>): VerifiedPublishers {
  return VERIFIED_PUBLISHERS ?? NONE
}

/** Returns the names of verified publishers as a field of a public document; nothing if there are none. */
export function verifiedNames(settings: Pick<Settings, 'VERIFIED_PUBLISHERS'>) {
  const names = verifiedPublishersOf(settings)
  return names.size === 0 ? {} : { verifiedPublishers: Object.fromEntries(names) as Record<string, string> }
}
