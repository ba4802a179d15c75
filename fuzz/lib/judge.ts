import { writeFileSync } from 'node:fs'
import { inspect } from 'node:util'
import { ProviderError, ValidationError } from '../../src/errors.js'
import { type AnyTarget, Broken, SECRET } from './target.js'

/** What one input may cost: milliseconds of the processor, and MiB beside what the process has anyway. */
export const BUDGET = { time: 1000, memory: 64 }

/** How often a cost is measured before it is believed: compiling and collecting garbage come in between. */
const TRIES = 3

/** What is wrong with how a target took an input. */
export interface Fault {
  kind: 'error' | 'property' | 'secret' | 'time' | 'memory' | 'end'
  /** In words, with where it came from. */
  what: string
}

/**
 * Hands an input to a target, and says what is wrong with what came of it; undefined where nothing is. `again` is told
 * when the same input is tried once more.
 */
export async function judge(target: AnyTarget, input: unknown, again = () => {}): Promise<Fault | undefined> {
  const { time, memory, fault } = await tried(target, input)
  if (fault) return fault
  if (time > BUDGET.time) return confirmed({ target, input, again }, 'time', time)
  if (memory > BUDGET.memory) return confirmed({ target, input, again }, 'memory', memory)
  return undefined
}

interface Tried {
  time: number
  memory: number
  fault: Fault | undefined
}

async function tried(target: AnyTarget, input: unknown): Promise<Tried> {
  const size = peak()
  const used = process.cpuUsage()
  let fault: Fault | undefined
  try {
    await target.read(input)
  } catch (error) {
    fault = faultOf(target, error)
  }
  const { user, system } = process.cpuUsage(used)
  return { time: (user + system) / 1000, memory: peak() - size, fault }
}

/** The least of several costs, each measured from a clean heap. */
async function confirmed(
  { target, input, again }: { target: AnyTarget; input: unknown; again: () => void },
  kind: 'time' | 'memory',
  first: number,
) {
  let least = first
  for (let left = TRIES; left > 0 && least > BUDGET[kind]; left--) {
    await new Promise(setImmediate)
    global.gc?.()
    forgetPeak()
    again()
    least = Math.min(least, (await tried(target, input))[kind])
  }
  if (least <= BUDGET[kind]) return undefined
  return { kind, what: `took ${least.toFixed(0)} ${kind === 'time' ? 'ms' : 'MiB'}` }
}

/** MiB of the largest size of the process since that was forgotten. */
function peak(): number {
  return process.resourceUsage().maxRSS / 1024
}

/** Lets the largest size be counted from the present one; elsewhere than on Linux it stays what it was. */
function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // then a first excess hides smaller ones behind it
  }
}

function faultOf(target: AnyTarget, error: unknown): Fault | undefined {
  if (error instanceof Broken) return { kind: 'property', what: `${error.message}${from(error)}` }
  if (!(error instanceof Error)) return { kind: 'error', what: `threw ${inspect(error)}` }
  const told = `${error.message} ${error instanceof ValidationError ? JSON.stringify(error.fields) : ''}`
  if (told.includes(SECRET))
    return { kind: 'secret', what: `told in ${error.name}: ${told.slice(0, 300)}${from(error)}` }
  if (error instanceof ProviderError || target.refuses?.(error)) return undefined
  return { kind: 'error', what: `${error.name}: ${error.message.slice(0, 300)}${from(error)}` }
}

/** The places in this repository and its libraries that an error came through, the innermost first. */
function from({ stack = '' }: Error): string {
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line) && !line.includes('node:internal'))
  return frames
    .slice(0, 4)
    .map((frame) => `\n      ${frame.trim().replace(/file:\/\/\S*?\/(?=(?:src|fuzz|node_modules)\/)/, '')}`)
    .join('')
}
