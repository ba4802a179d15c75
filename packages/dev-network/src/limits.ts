/** The limits of this package, each with its unit and reason. */
export const DEV_LIMITS = {
  node: {
    /** Characters of the last output of a node that does not start, for the error. */
    output: 2_000,
    /** Gas of each transaction that deploys contracts: more than any needs, since an estimate costs a request. */
    gas: 15_000_000n,
    /** Milliseconds for a chain to mine the contracts. */
    mining: 60_000,
  },
  seed: {
    /** Milliseconds for the index to read each step. */
    index: 60_000,
  },
} as const
