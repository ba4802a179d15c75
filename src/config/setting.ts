/** One setting: its environment name is the key it has in SETTINGS. */
export interface Setting<T> {
  /** Reads the raw text; throws an Error that says what is expected, without quoting a secret. */
  parse: (raw: string) => T
  default?: T
  /** What it does, with units. The configuration reference is generated from this. */
  doc: string
  example?: string
  /** Never shown in a dump of the configuration. */
  secret?: boolean
  required?: boolean
  /** Other settings, any of which will do where this one is required. */
  alternatives?: string[]
  /** The name that the legacy service had for it; the present name wins. */
  legacy?: string
  /** What a whole number under the legacy name is to be multiplied by. */
  legacyFactor?: number
}

/** Keeps the type of a definition, and whether it always has a value. */
export function setting<T>(definition: Setting<T> & { default: T }): Setting<T> & { always: true }
export function setting<T>(definition: Setting<T> & { required: true }): Setting<T> & { always: true }
export function setting<T>(definition: Setting<T>): Setting<T>
export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}
