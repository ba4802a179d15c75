import { announcement } from '../state/page/announce.js'
import { useStore } from '../state/store.js'

/** Announces events to assistive technology. */
export function Announcer() {
  const { text, count } = useStore(announcement)
  return (
    <div class="off-screen" role="status" aria-live="polite">
      {/* the same words twice are said twice */}
      <span key={count}>{text}</span>
    </div>
  )
}
