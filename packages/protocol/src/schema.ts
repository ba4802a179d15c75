/** A validator of untrusted values: a zod schema, or another one with its interface. */
export interface Schema<T> {
  safeParse(value: unknown): Parsed<T>
}

/** The result of parsing a value. */
export type Parsed<T> = { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } }

/** A fault in a value, and its path. */
export interface Issue {
  path: readonly PropertyKey[]
  /** Never quotes the value. */
  message: string
}
