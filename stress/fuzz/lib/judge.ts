import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import { ProviderError, ValidationError } from '../../../packages/protocol/src/errors.js'
import { forgetPeak, peakMemory } from '../../../test/helpers/peak-memory.js'
import { type AnyTarget, PropertyViolation, SECRET } from './target.js'

/** The budget of one input: milliseconds of processor time, and MiB above the baseline of the process. */
export const BUDGET = { time: 1000, memory: 64 }

/** Repeated measurements before an excess counts: JIT compilation and garbage collection distort single ones. */
const TRIES = 3

/** What went wrong when a target read an input. */
export interface Fault {
  kind: 'error' | 'property' | 'secret' | 'time' | 'memory' | 'end'
  /** Description, with the innermost stack frames. */
  what: string
}

/**
 * Runs a target on an input and returns the fault, if any. `onRetry` is called before each repeated measurement. `limit`:
 * milliseconds of processor time.
 */
export async function judge(
  target: AnyTarget,
  input: unknown,
  onRetry = () => {},
  limit: number = BUDGET.time,
): Promise<Fault | undefined> {
  const budget = { ...BUDGET, time: limit }
  if (rss() > settled + MAX_GARBAGE) await collectGarbage()
  const { time, memory, fault } = await measure(target, input)
  if (fault) return fault
  if (time > budget.time) return confirmExcess({ target, input, onRetry, budget }, 'time', time)
  if (memory > budget.memory) return confirmExcess({ target, input, onRetry, budget }, 'memory', memory)
  return undefined
}

interface Measurement {
  time: number
  memory: number
  fault: Fault | undefined
}

async function measure(target: AnyTarget, input: unknown): Promise<Measurement> {
  // memory allocated and freed before, for example by loading modules, would hide what this input needs
  forgetPeak()
  const baseline = peakMemory()
  const used = process.cpuUsage()
  let fault: Fault | undefined
  try {
    await target.read(input)
  } catch (error) {
    fault = faultOf(target, error)
  }
  const { user, system } = process.cpuUsage(used)
  return { time: (user + system) / 1000, memory: peakMemory() - baseline, fault }
}

/** Returns the fault where the lowest of several measurements, each after a garbage collection, exceeds the budget. */
async function confirmExcess(
  { target, input, onRetry, budget }: { target: AnyTarget; input: unknown; onRetry: () => void; budget: typeof BUDGET },
  kind: 'time' | 'memory',
  first: number,
) {
  let lowest = first
  for (let left = TRIES; left > 0 && lowest > budget[kind]; left--) {
    await collectGarbage()
    onRetry()
    lowest = Math.min(lowest, (await measure(target, input))[kind])
  }
  if (lowest <= budget[kind]) return undefined
  return { kind, what: `took ${lowest.toFixed(0)} ${kind === 'time' ? 'ms' : 'MiB'}` }
}

/** Resident memory in MiB after the last collection. */
let settled = 0

/** MiB of garbage that may remain: with more, an input could reuse that space and seem to need no memory. */
const MAX_GARBAGE = 16

/** Bytes of buffers after the last collection, and how many more may remain. */
let settledBuffers = 0
const MAX_BUFFERS = 1_048_576

/** Collections until what is left counts as kept, and milliseconds between those that freed nothing. */
const MAX_COLLECTIONS = 10
const BETWEEN = 5

/**
 * Collects garbage. Buffers are freed in a thread after a collection, on a busy machine some time after it, and counted as
 * freed before the system has their memory back: what the next measurement could reuse would hide what its input needs.
 */
async function collectGarbage(): Promise<void> {
  let left = Number.POSITIVE_INFINITY
  const isMuchLeft = () => left > settledBuffers + MAX_BUFFERS || (settled > 0 && rss() > settled + MAX_GARBAGE)
  for (let round = 0; round < MAX_COLLECTIONS && isMuchLeft(); round++) {
    await (round < 2 ? new Promise(setImmediate) : setTimeout(BETWEEN))
    global.gc?.()
    left = process.memoryUsage().arrayBuffers
  }
  settledBuffers = left
  settled = rss()
}

function rss(): number {
  return process.memoryUsage.rss() / 1024 ** 2
}

function faultOf(target: AnyTarget, error: unknown): Fault | undefined {
  if (error instanceof PropertyViolation) return { kind: 'property', what: `${error.message}${framesOf(error)}` }
  if (!(error instanceof Error)) return { kind: 'error', what: `threw ${inspect(error)}` }
  const text = `${error.message} ${error instanceof ValidationError ? JSON.stringify(error.fields) : ''}`
  if (text.includes(SECRET))
    return { kind: 'secret', what: `leaked in ${error.name}: ${text.slice(0, 300)}${framesOf(error)}` }
  if (error instanceof ProviderError || target.isRejection?.(error)) return undefined
  return { kind: 'error', what: `${error.name}: ${error.message.slice(0, 300)}${framesOf(error)}` }
}

/** The innermost stack frames in this repository and its libraries. */
function framesOf({ stack = '' }: Error): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node:internal'))
  return frames
    .slice(0, 4)
    .map((frame) => `\n      ${frame.trim().replace(/file:\/\/\S*?\/(?=(?:src|fuzz|node_modules)\/)/, '')}`)
    .join('')
}
