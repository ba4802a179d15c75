/** Every limit on what comes from outside that is no setting, each with its unit and its reason. */
export const BOUNDS = {
  /** Addresses that files are never fetched from. */
  destinations: {
    /** Milliseconds after which the machine's own addresses are read again: interfaces come and go. */
    ownAddressesAge: 5_000,
  },
} as const
