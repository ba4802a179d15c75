/** Options of a benchmark run. */
export interface Options {
  /** Small sizes, to check that the benchmark works. */
  smoke: boolean
  /** Runs only the cases whose name contains this. */
  only?: string
}

/** Measures, prints a table and writes JSON. */
export type Benchmark = (options: Options) => Promise<void>
