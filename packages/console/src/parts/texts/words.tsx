import { clamped, type Stretch, stretchesOf } from '../../format/hostile.js'
import { text as words } from '../../text.js'

interface Told {
  text: string
  /** Characters at the start. */
  most?: number
}

/** A stranger's text in one line, isolated in its direction, with codes of invisible characters. */
export function Words({ text, most = 300 }: Told) {
  const { text: shown, rest } = clamped(text, most)
  return (
    <bdi class="words">
      <Visible text={shown} />
      {rest > 0 && '…'}
    </bdi>
  )
}

/** A stranger's text, with codes of invisible characters. */
export function Visible({ text }: { text: string }) {
  return <>{stretchesOf(text).map(stretched)}</>
}

function stretched(stretch: Stretch, at: number) {
  if ('text' in stretch) return stretch.text
  return (
    <span key={at} class="unseen" title={words.unseen(stretch.code)}>
      {stretch.code}
    </span>
  )
}
