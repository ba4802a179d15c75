/** The index in a download link that stands for all files. */
export const ALL_FILES = 0xffff_ffff

/** The first second of the year 2100, for examples. */
export const EXAMPLE_EXPIRY = 4_102_444_800

/** Facts of ZIP archives (APPNOTE 6.3.10). */
export const ZIP_FORMAT = {
  /** Bytes of a stored block of deflate, the largest that there is. */
  block: 65_535,
  /** Largest value of a field of 32 bits. A larger one has ZIP64 fields. */
  most: 0xffff_ffff,
  /** The same of a field of 16 bits. */
  most16: 0xffff,
  /** Sizes follow the data, and names are UTF-8. */
  flags: 0x0808,
  /** A file that its owner writes and everybody reads, as a mode of Unix in the upper half. */
  mode: 0o100644 * 0x1_0000,
  /** Signatures at the beginning of each record. */
  signatures: {
    local: 0x0403_4b50,
    descriptor: 0x0807_4b50,
    entry: 0x0201_4b50,
    end: 0x0605_4b50,
    end64: 0x0606_4b50,
    locator64: 0x0706_4b50,
  },
  /** Id of the extended timestamp. */
  timestamp: 0x5455,
  /** DOS begins with the first year, and 32 bits end in the last one. */
  years: { first: 1980, last: 2037 },
} as const
