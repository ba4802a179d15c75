import type { Release } from '@tidegate/client'
import { text } from '../text.js'
import { Words } from './texts/words.js'
import { Time } from './values.js'

/** Most characters of the notes that are drawn. */
const NOTES = 500

/** What the publisher tells of a version of the files: number, date, notes. */
export function ReleaseText({ release: { number, date, notes } }: { release: Release }) {
  return (
    <p class="small muted">
      {text.asset.version(number)}
      {date && (
        <>
          {' · '}
          <Time time={date} />
        </>
      )}
      {notes && (
        <>
          {': '}
          <Words text={notes} most={NOTES} />
        </>
      )}
    </p>
  )
}
