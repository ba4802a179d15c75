import { setFlagsFromString } from 'node:v8'
import { Tinypool } from 'tinypool'
import { loaderFor } from './thread-module.js'

type Options = NonNullable<ConstructorParameters<typeof Tinypool>[0]>

/** Flags of V8 for the heap of the process, which would also replace the limits of every thread. */
const HEAP_FLAGS = ['max-old-space-size', 'max-semi-space-size', 'min-semi-space-size', 'max-heap-size']

/** Creates a pool of threads that run a module, without the environment. Each thread has the heap of its own `resourceLimits`. */
export function threadPool(entry: URL, options: Options): Tinypool {
  // the heap of this thread has its size already
  for (const flag of HEAP_FLAGS) setFlagsFromString(`--${flag}=0`)
  return new Tinypool({
    filename: entry.href,
    minThreads: 0,
    // blocking waits would deadlock with the module loader of the source tree, which needs another thread
    useAtomics: false,
    // the environment contains keys
    env: {},
    execArgv: loaderFor(entry),
    ...options,
  })
}
