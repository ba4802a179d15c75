import type fc from 'fast-check'

/** A fuzz target: a reader of untrusted input, its inputs, and the properties of its results. */
export interface Target<T> {
  /** Mutated valid inputs, and garbage (`mutate.ts`). */
  inputs: fc.Arbitrary<T>
  /** Passes an input to the reader. Throws the reader's errors, or PropertyViolation where a property does not hold. */
  read(input: T): unknown
  /** Whether an error is an intended rejection, beside those of packages/protocol/src/errors.ts. */
  isRejection?(error: Error): boolean
  /** Whether saved inputs are only replayed, not mutated: mutants would not have the type that `read` takes. */
  replayVerbatim?: boolean
  /** Inputs in a short round, for targets that take more than a millisecond each. */
  runs?: number
}

/** A target with its input type erased: inputs come from its own generator or corpus alone. */
export type AnyTarget = Target<unknown>

/** Defines a target; checks that generator and reader agree on the type of the inputs. */
export function target<T>(definition: Target<T>): AnyTarget {
  return definition as AnyTarget
}

/** A property that does not hold. */
export class PropertyViolation extends Error {}

/** Throws PropertyViolation unless the condition holds; `what` is the expected property. */
export function holds(condition: unknown, what: string): asserts condition {
  if (!condition) throw new PropertyViolation(what)
}

/** Stands for locations, headers and keys in inputs: no error may leak it. */
export const SECRET = 'sEcReTpLaCe'
