import { dayTime } from '../format/time.js'
import { mineText } from '../text/mine.js'
import { text } from '../text.js'

export interface Point {
  /** Start of the period. */
  time: Date
  value: number
  /** The exact value, as text. */
  shown: string
}

const [WIDE, HIGH] = [320, 96]

interface ChartProps {
  title: string
  total: string
  points: readonly Point[]
  kind: 'bars' | 'area'
}

/** A small chart over time, with a summary in words and a table of all values. */
export function Chart({ title, total, points, kind }: ChartProps) {
  const most = Math.max(...points.map(({ value }) => value), 0) || 1
  const step = WIDE / Math.max(1, points.length)
  const x = (at: number) => at * step + step / 2
  const y = (value: number) => HIGH - 4 - (value / most) * (HIGH - 14)
  const line = points
    .map(({ value }, at) => `${at === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('')
  const [first, last] = [points[0], points.at(-1)]
  return (
    <figure class={`chart chart-${kind}`}>
      <figcaption>
        <span class="muted small">{title}</span>
        <strong>{total}</strong>
      </figcaption>
      <svg viewBox={`0 0 ${WIDE} ${HIGH}`} role="img" aria-label={mineText.chartSummary(title, total)}>
        <path class="chart-floor" d={`M0 ${HIGH - 3}H${WIDE}`} />
        {kind === 'area' && points.length > 0 && (
          <>
            <path class="chart-fill" d={`${line}L${x(points.length - 1)} ${HIGH - 4}L${x(0)} ${HIGH - 4}Z`} />
            <path class="chart-line" d={line} />
          </>
        )}
        {points.map((point, at) => (
          <g key={point.time.getTime()}>
            {kind === 'bars' && point.value > 0 && (
              <rect
                class="chart-bar"
                x={(at * step + step * 0.15).toFixed(1)}
                y={y(point.value).toFixed(1)}
                width={(step * 0.7).toFixed(1)}
                height={(HIGH - 4 - y(point.value)).toFixed(1)}
                rx="2"
              />
            )}
            <rect class="chart-catch" x={at * step} y="0" width={step} height={HIGH}>
              <title>{text.charts.point(dayTime(point.time), point.shown)}</title>
            </rect>
          </g>
        ))}
      </svg>
      {first && last && (
        <div class="chart-ends muted tiny" aria-hidden="true">
          <span>{dayTime(first.time)}</span>
          <span>{dayTime(last.time)}</span>
        </div>
      )}
    </figure>
  )
}
