import fc from 'fast-check'
import { savedInputs } from './corpus.js'
import { mutatedBytes, mutatedText } from './mutate.js'
import type { AnyTarget } from './target.js'

/** Returns the inputs of a target: those of its generator, and mutated ones of its corpus. */
export function inputsOf(name: string, target: AnyTarget, corpus?: string): fc.Arbitrary<unknown> {
  const saved = savedInputs(name, corpus).map(({ input }) => input)
  if (saved.length === 0 || target.replayVerbatim) return target.inputs
  const mutants = fc.constantFrom(...saved).chain(mutantsOf)
  return fc.oneof({ arbitrary: target.inputs, weight: 9 }, { arbitrary: mutants, weight: 1 })
}

/** Inputs of the same shape: texts and bytes are mutated, everything else stays. */
function mutantsOf(input: unknown): fc.Arbitrary<unknown> {
  if (typeof input === 'string') return mutatedText(fc.constant(input), 2)
  if (input instanceof Uint8Array) return mutatedBytes(fc.constant(input), 2)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return fc.constant(input)
  return fc.record(Object.fromEntries(Object.entries(input).map(([name, part]) => [name, mutantsOf(part)])))
}

/** Returns the input of a seed: deterministic for the same generators and corpus. */
export function inputOf(inputs: fc.Arbitrary<unknown>, seed: number): unknown {
  return fc.sample(
    fc.property(inputs, () => true),
    { seed, numRuns: 1 },
  )[0]?.[0]
}

/** Time limit for shrinking one input, in milliseconds. */
const SHRINK_LIMIT = 15_000

/** Shrinks the input of a seed to the smallest one for which `isFault` still holds. */
export async function shrink(
  inputs: fc.Arbitrary<unknown>,
  seed: number,
  isFault: (input: unknown) => Promise<boolean>,
): Promise<unknown> {
  const property = fc.asyncProperty(inputs, async (input) => !(await isFault(input)))
  const options = { seed, numRuns: 1, interruptAfterTimeLimit: SHRINK_LIMIT, markInterruptAsFailure: false }
  const { counterexample } = await fc.check(property, options)
  return counterexample?.[0] ?? inputOf(inputs, seed)
}
