/** The end of the year 9999. Later times of events are clamped: neither dates nor databases can represent them. */
const LAST_SECOND = 253_402_300_799

/** Seconds since 1970, at most the end of the year 9999. */
export function secondsOf(time: bigint | number): number {
  return Math.min(Number(time), LAST_SECOND)
}

/** Formats seconds since 1970 as ISO 8601 in UTC without fractions, as in asset documents. */
export function isoTime(seconds: number): string {
  return new Date(secondsOf(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}
