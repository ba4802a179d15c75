/** The definition of a setting. Its environment name is its key in SETTINGS. */
export interface Setting<T> {
  /** Parses the raw text. Throws an Error that states what is expected, without quoting a secret. */
  parse: (raw: string) => T
  default?: T
  /** Value of an empty text, where that turns something off. Without it an empty value counts as not set. */
  empty?: T
  /** Description with units; source of the configuration reference. */
  doc: string
  example?: string
  /** Redacted wherever settings are printed. */
  secret?: boolean
  required?: boolean
  /** Other settings, any of which satisfies `required`. */
  alternatives?: string[]
  /** Its name in the legacy service; the current name wins. */
  legacy?: string
  /** Factor from the legacy unit to the current one, for whole numbers. */
  legacyFactor?: number
}

/** Returns the definition unchanged; its type records whether the setting always has a value. */
export function setting<T>(definition: Setting<T> & { default: T }): Setting<T> & { always: true }
export function setting<T>(definition: Setting<T> & { required: true }): Setting<T> & { always: true }
export function setting<T>(definition: Setting<T>): Setting<T>
export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}
