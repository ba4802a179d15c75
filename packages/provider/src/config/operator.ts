import type { Settings } from './schema.js'

/** Who runs the service. All of it is public; what is not configured is left out. */
export interface Operator {
  name?: string
  url?: string
  /** An e-mail address, or an http(s) URL. */
  contact?: string
  imprint?: string
  privacy?: string
  terms?: string
}

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
