import fc from 'fast-check'
import { keptInputs } from './corpus.js'
import { mutatedBytes, mutatedText } from './mutate.js'
import type { AnyTarget } from './target.js'

/** What a target is given: its own inputs, and kept ones with changes. */
export function inputsOf(name: string, target: AnyTarget, corpus?: string): fc.Arbitrary<unknown> {
  const kept = keptInputs(name, corpus).map(({ input }) => input)
  if (kept.length === 0 || target.rigid) return target.inputs
  const near = fc.constantFrom(...kept).chain(nearTo)
  return fc.oneof({ arbitrary: target.inputs, weight: 9 }, { arbitrary: near, weight: 1 })
}

/** An input of the same form: texts and bytes are changed, what stands beside them stays. */
function nearTo(input: unknown): fc.Arbitrary<unknown> {
  if (typeof input === 'string') return mutatedText(fc.constant(input), 2)
  if (input instanceof Uint8Array) return mutatedBytes(fc.constant(input), 2)
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return fc.constant(input)
  return fc.record(Object.fromEntries(Object.entries(input).map(([name, part]) => [name, nearTo(part)])))
}

/** The input of a seed: the same again and again, as long as generators and corpus are the same. */
export function inputOf(inputs: fc.Arbitrary<unknown>, seed: number): unknown {
  return fc.sample(
    fc.property(inputs, () => true),
    { seed, numRuns: 1 },
  )[0]?.[0]
}

/** Milliseconds for making one input smaller. */
const SHRINKING = 15_000

/** The smallest input near that of a seed for which `isFault` still holds. */
export async function smallest(
  inputs: fc.Arbitrary<unknown>,
  seed: number,
  isFault: (input: unknown) => Promise<boolean>,
): Promise<unknown> {
  const property = fc.asyncProperty(inputs, async (input) => !(await isFault(input)))
  const options = { seed, numRuns: 1, interruptAfterTimeLimit: SHRINKING, markInterruptAsFailure: false }
  const { counterexample } = await fc.check(property, options)
  return counterexample?.[0] ?? inputOf(inputs, seed)
}
