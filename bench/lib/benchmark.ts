/** How a benchmark is run. */
export interface Options {
  /** Small sizes, to see that it works. */
  smoke: boolean
  /** A part of a name: only those cases. */
  only?: string
}

/** Measures, prints a table and writes JSON. */
export type Benchmark = (options: Options) => Promise<void>
