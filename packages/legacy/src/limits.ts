/** The limits of this package on untrusted input, each with its unit and reason. */
export const LEGACY_LIMITS = {
  records: {
    /** Bytes of one value for `tidegate import`. A nonce has 20; no URL could contain many more. */
    value: 1024,
  },
} as const
