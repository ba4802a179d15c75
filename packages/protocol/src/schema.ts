/** Validates a value from outside: a zod schema, or anything with the same interface. */
export interface Schema<T> {
  safeParse(value: unknown): Parsed<T>
}

/** The result of parsing a value. */
export type Parsed<T> = { success: true; data: T } | { success: false; error: { issues: readonly Issue[] } }

/** A fault in a value, and where in it. */
export interface Issue {
  path: readonly PropertyKey[]
  /** Never quotes the value. */
  message: string
}
