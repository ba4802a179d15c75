/** Maximum milliseconds of a timer of Node: about 25 days. */
export const MAX_TIMER = 2_147_483_647

/** The last code point of Unicode. */
export const LAST_CODE_POINT = 0x10_ffff
