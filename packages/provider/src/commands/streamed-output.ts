import { once } from 'node:events'
import { visibleLines } from '@tidegate/common/visible-text'

/** Returns lines of visible characters. Those of CSV end with CR and LF. */
const visibleRows = (text: string) => text.split('\r\n').map(visibleLines).join('\r\n')

/**
 * Returns a function that writes to standard output with back-pressure. It returns false after the reader has closed the
 * pipe, like `head`.
 */
export function streamedOutput(): (text: string) => Promise<boolean> {
  const { stdout } = process
  let isRead = true
  stdout.on('error', () => {
    isRead = false
  })
  return async (text) => {
    // rejects if the pipe breaks meanwhile
    if (isRead && !stdout.write(visibleRows(text))) await once(stdout, 'drain').catch(() => undefined)
    return isRead
  }
}
