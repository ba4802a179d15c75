/** The definition of a setting. Its name is its key in SETTINGS. */
export interface Setting<T> {
  /** Parses the raw text. Throws an Error that names the expected form and quotes no secret. */
  parse: (raw: string) => T
  default?: T
  /** Value of an empty text that turns something off. Without it, an empty text counts as not set. */
  empty?: T
  /** Description with units, for the page of settings. */
  doc: string
  example?: string
  /** Hidden wherever settings are printed. */
  secret?: boolean
  required?: boolean
  /** Settings that replace a required one. */
  alternatives?: string[]
  /** Name of the setting in the legacy service. The current name wins. */
  legacy?: string
  /** Factor from the legacy unit to the current one, for whole numbers. */
  legacyFactor?: number
}

/** Returns the definition. The type of the result shows whether the setting always has a value. */
export function setting<T>(definition: Setting<T> & { default: T }): Setting<T> & { always: true }
export function setting<T>(definition: Setting<T> & { required: true }): Setting<T> & { always: true }
export function setting<T>(definition: Setting<T>): Setting<T>
export function setting<T>(definition: Setting<T>): Setting<T> {
  return definition
}
