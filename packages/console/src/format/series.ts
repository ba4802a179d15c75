import { DAY } from '@tidegate/protocol/constants'
import type { Point } from '../parts/chart.js'

/** Most bars of a chart. */
const MOST = 30
const LEAST = 7

export interface Happened<T> {
  time: Date
  value: T
}

/**
 * Groups events by equal periods of one or more days, up to now. `add` sums two values; `number` is for the chart, `shown`
 * for people.
 */
export function seriesOf<T>(
  events: readonly Happened<T>[],
  {
    zero,
    add,
    number,
    shown,
    now = new Date(),
  }: {
    zero: T
    add: (a: T, b: T) => T
    number: (value: T) => number
    shown: (value: T) => string
    now?: Date
  },
): Point[] {
  if (events.length === 0) return []
  const today = new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime()
  const times = events.map(({ time }) => time.getTime())
  const oldest = Math.min(today, ...times)
  const days = Math.max(LEAST, Math.ceil((today + DAY - oldest) / DAY))
  const width = Math.ceil(days / MOST)
  const count = Math.ceil(days / width)
  const begin = today + DAY - count * width * DAY
  const values = Array.from({ length: count }, () => zero)
  for (const { time, value } of events) {
    const at = Math.min(count - 1, Math.max(0, Math.floor((time.getTime() - begin) / (width * DAY))))
    values[at] = add(values[at] as T, value)
  }
  return values.map((value, at) => ({
    time: new Date(begin + at * width * DAY),
    value: number(value),
    shown: shown(value),
  }))
}
