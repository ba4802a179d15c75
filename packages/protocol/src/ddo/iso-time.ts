import { LAST_SECOND } from '../constants.js'

/** Converts a time to seconds since 1970, at most the end of the year 9999: dates and databases cannot represent later ones. */
export function secondsOf(time: bigint | number): number {
  return Math.min(Number(time), LAST_SECOND)
}

/** Formats seconds since 1970 as ISO 8601 in UTC without fractions, like asset documents. */
export function isoTime(seconds: number): string {
  return new Date(secondsOf(seconds) * 1000).toISOString().replace('.000Z', 'Z')
}
