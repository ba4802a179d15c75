import { useState } from 'preact/hooks'
import { clamped, type Stretch, stretchesOf } from '../format/hostile.js'
import { text as words } from '../text.js'

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
      {stretchesOf(shown).map(stretched)}
      {rest > 0 && '…'}
    </bdi>
  )
}

/** A stranger's text of several lines, folded after its beginning. Its links stay plain text. */
export function Paragraphs({ text, most = 1_200 }: Told) {
  const [whole, setWhole] = useState(false)
  const { text: shown, rest } = clamped(text, whole ? text.length : most)
  const isLong = text.length > most
  return (
    <div class="paragraphs">
      <p class="words-block" dir="auto">
        {stretchesOf(shown).map(stretched)}
        {rest > 0 && '…'}
      </p>
      {isLong && (
        <button type="button" class="text-button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? words.showLess : words.showMore(rest)}
        </button>
      )}
    </div>
  )
}

function stretched(stretch: Stretch, at: number) {
  if ('text' in stretch) return stretch.text
  return (
    <span key={at} class="unseen" title={words.unseen(stretch.code)}>
      {stretch.code}
    </span>
  )
}
