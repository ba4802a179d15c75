/** Milliseconds of an hour. */
export const HOUR = 3_600_000

/** Milliseconds of a day. */
export const DAY = 86_400_000

/** Maximum milliseconds of a timer of Node: about 25 days. */
export const MAX_TIMER = 2_147_483_647

/** Bytes of a kibibyte. */
export const KIB = 1_024

/** Bytes of a mebibyte. */
export const MIB = 1_048_576

/** The last code point of Unicode. */
export const LAST_CODE_POINT = 0x10_ffff
