import { bytesText } from '@tidegate/client'
import { note } from '@tidegate/common/terminal'
import { visible } from '@tidegate/common/visible-text'
import { CLI_LIMITS } from '../../limits.js'
import { secondsText } from '../amounts.js'

export interface Progress {
  /** `total` is undefined if the size is unknown. */
  update(bytes: number, total: number | undefined): void
  stop(): void
}

const { line: EVERY, rate: WINDOW } = CLI_LIMITS.waiting.progress

/** Shows a transfer with its rate and remaining time: a bar on a terminal, otherwise a line at intervals. */
export async function showProgress(name: string, doing = 'downloading'): Promise<Progress> {
  const rate = rateMeter()
  return process.stderr.isTTY ? bar(visible(name), rate) : lines(`${doing} ${name}`, rate)
}

/** Returns a meter of bytes per second over the last seconds; 0 until the second measurement. */
export function rateMeter(now: () => number = () => performance.now()): (bytes: number) => number {
  const seen: { at: number; bytes: number }[] = []
  return (bytes) => {
    const at = now()
    seen.push({ at, bytes })
    while (seen.length > 2 && at - (seen[1]?.at as number) > WINDOW) seen.shift()
    const first = seen[0] as { at: number; bytes: number }
    return at > first.at ? ((bytes - first.bytes) * 1000) / (at - first.at) : 0
  }
}

const state = (bytes: number, total: number | undefined, rate: number): string => {
  const done = total === undefined ? bytesText(bytes) : `${bytesText(bytes)} of ${bytesText(total)}`
  const left = total !== undefined && rate > 0 ? `, ${secondsText(Math.ceil((total - bytes) / rate))} left` : ''
  return `${done}, ${bytesText(Math.round(rate))}/s${left}`
}

async function bar(name: string, rate: (bytes: number) => number): Promise<Progress> {
  const { default: progress } = await import('cli-progress')
  const format = (total: boolean) => (total ? '{name} {bar} {percentage}%  {state}' : '{name}  {state}')
  let shown: InstanceType<typeof progress.SingleBar> | undefined
  return {
    update(bytes, total) {
      const values = { name, state: state(bytes, total, rate(bytes)) }
      if (!shown) {
        const options = { format: format(total !== undefined), stream: process.stderr, barsize: 24, etaBuffer: 10 }
        shown = new progress.SingleBar({ ...options, gracefulExit: false, hideCursor: false }, progress.Presets.legacy)
        shown.start(total ?? 0, bytes, values)
      } else shown.update(bytes, values)
    },
    stop: () => shown?.stop(),
  }
}

function lines(name: string, rate: (bytes: number) => number): Progress {
  let last: number | undefined
  return {
    update(bytes, total) {
      const measured = rate(bytes)
      const now = performance.now()
      last ??= now
      if (now - last < EVERY) return
      last = now
      note(`${name}: ${state(bytes, total, measured)}`)
    },
    stop: () => undefined,
  }
}
