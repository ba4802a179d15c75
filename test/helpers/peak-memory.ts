import { readFileSync, writeFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'

/**
 * The peak memory of this process in MiB, since its start or since `forgetPeak`. Not `resourceUsage().maxRSS`: that
 * cannot be reset, and a process inherits the peak of its parent, so that a large parent hides what its child uses.
 */
export function peakMemory(): number {
  try {
    const peak = peakIn(readFileSync('/proc/self/status', 'utf8'))
    if (peak !== undefined) return peak
  } catch {
    // only Linux has it
  }
  return process.resourceUsage().maxRSS / 1024
}

/** Resets the peak to the current size. Works on Linux only; elsewhere a first excess hides later, smaller ones. */
export function forgetPeak(): void {
  try {
    writeFileSync('/proc/self/clear_refs', '5')
  } catch {
    // only Linux has it
  }
}

/** The most memory in MiB that any tab of a browser has taken since it was opened. Linux only. */
export async function rendererPeak(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const tabs = processInfo.filter(({ type }) => type === 'renderer')
  return Math.max(...tabs.map(({ id }) => peakIn(readFileSync(`/proc/${id}/status`, 'utf8')) ?? 0))
}

/** The peak in MiB that the status of a process tells. */
function peakIn(status: string): number | undefined {
  const [, kibibytes] = /^VmHWM:\s*(\d+) kB$/m.exec(status) ?? []
  return kibibytes === undefined ? undefined : Number(kibibytes) / 1024
}
