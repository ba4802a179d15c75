import type fc from 'fast-check'

/** A reader of what comes from outside: what it is given, and what has to hold of its answers. */
export interface Target<T> {
  /** Inputs near those of honest senders, and plain garbage (`mutate.ts`). */
  inputs: fc.Arbitrary<T>
  /** Hands an input to the reader. Throws what the reader throws, or Broken where its answer is not as it should be. */
  read(input: T): unknown
  /** Errors that the reader throws on purpose, beside those of src/errors.ts. */
  refuses?(error: Error): boolean
  /** Whether kept inputs are given as they are alone: changed ones would not be of the form that `read` takes. */
  rigid?: boolean
  /** Inputs of a short round, where one costs more than a millisecond. */
  runs?: number
}

/** A target without the type of its inputs: they come from its own generator, or from its own corpus. */
export type AnyTarget = Target<unknown>

/** Keeps the type of the inputs between generator and reader. */
export function target<T>(definition: Target<T>): AnyTarget {
  return definition as AnyTarget
}

/** A property that does not hold. */
export class Broken extends Error {}

/** Throws Broken unless the condition holds; `what` says what should be so. */
export function holds(condition: unknown, what: string): asserts condition {
  if (!condition) throw new Broken(what)
}

/** Stands for locations, headers and keys in inputs: no error may tell it. */
export const SECRET = 'sEcReTpLaCe'
