import { exactBytes, shownBytes } from '../../format/bytes.js'
import { durationText } from '../../parts/values.js'
import type { Limits } from '../../state/status.js'
import { statusText } from '../../text/status.js'

type Form = (value: number) => string

const count: Form = (value) => exactBytes(value)

/** The limits that people may reach. Hides disabled ones. */
export function LimitsPanel({ limits }: { limits: Limits }) {
  const words = statusText
  const forms: Record<keyof Limits, Form> = {
    filesPerService: count,
    documentSize: shownBytes,
    linkLifetime: durationText,
    checksumLength: shownBytes,
    requestsPerMinute: count,
    bytesPerMinute: shownBytes,
    requestsPerDay: count,
    bytesPerDay: shownBytes,
  }
  const told = (Object.keys(forms) as (keyof Limits)[]).flatMap((name) => {
    const value = limits[name]
    return typeof value === 'number' ? [{ name, shown: forms[name](value) }] : []
  })
  return (
    <section class="panel" aria-labelledby="limits">
      <h2 id="limits">{words.limits}</h2>
      <dl class="facts">
        {told.map(({ name, shown }) => (
          <div key={name}>
            <dt>{words.limitNames[name]}</dt>
            <dd>{shown}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
