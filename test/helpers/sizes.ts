/** Whether this is `npm run test:large`: the same tests with sizes that take minutes. */
export const IS_LARGE_RUN = process.env.LARGE_FILES !== undefined

/** A size for ordinary runs, large enough for the test to be meaningful, and one for `npm run test:large`. */
export function sized<T>(usual: T, large: T): T {
  return IS_LARGE_RUN ? large : usual
}
