/** Milliseconds of a minute. */
export const MINUTE = 60_000

/** Milliseconds of an hour. */
export const HOUR = 3_600_000

/** Milliseconds of a day. */
export const DAY = 86_400_000

/** Seconds of a minute, an hour, a day and a year of 365 days. */
export const SECONDS = { minute: 60, hour: 3_600, day: 86_400, year: 31_536_000 } as const

/** Seconds since 1970 of the end of the year 9999, the last year of four digits. */
export const LAST_SECOND = 253_402_300_799

/** Times from this value on are in milliseconds since 1970; in seconds they would be in the year 5138. */
export const FIRST_MILLISECONDS = 100_000_000_000

/** Bytes of a kibibyte. */
export const KIB = 1_024

/** Bytes of a mebibyte. */
export const MIB = 1_048_576

/** One datatoken, the price of an order, in its smallest unit. */
export const ONE_DATATOKEN = 1_000_000_000_000_000_000n

/** The bits of a position in a bloom filter of Ethereum, which has 2,048 bits. */
export const BLOOM_POSITION = 0x7ff

/** Error codes of wallets: EIP-1193, EIP-3326 (unknown chain), and EIP-1474 (a second request, an internal error). */
export const WALLET_CODES = {
  rejected: 4001,
  unauthorized: 4100,
  unknownChain: 4902,
  alreadyAsked: -32002,
  internal: -32603,
} as const

/** The last port of TCP. */
export const LAST_PORT = 65_535

/** The code point of the byte order mark. */
export const BYTE_ORDER_MARK = 0xfeff

/** The sixth group of an ISATAP address (RFC 5214). */
export const ISATAP_GROUP = 0x5efe

/** The .lzma format: uncompressed size of a stream with an end marker instead, and minimum bytes of a dictionary. */
export const LZMA = { unknownSize: 2n ** 64n - 1n, minDictionary: 4_096 } as const
