import { useState } from 'preact/hooks'
import { clamped } from '../../format/hostile.js'
import { CONSOLE_LIMITS } from '../../limits.js'
import { text as words } from '../../text.js'
import { Markdown } from './markdown.js'

const { folded: FOLDED } = CONSOLE_LIMITS.texts

/** A stranger's Markdown, folded after its beginning. */
export function Description({ text }: { text: string }) {
  const [whole, setWhole] = useState(false)
  const { text: shown, rest } = clamped(text, whole ? text.length : FOLDED)
  const isLong = text.length > FOLDED
  return (
    <div class="paragraphs">
      <div class="markdown">
        <Markdown text={rest > 0 ? `${shown}…` : shown} />
      </div>
      {isLong && (
        <button type="button" class="text-button" aria-expanded={whole} onClick={() => setWhole(!whole)}>
          {whole ? words.showLess : words.showMore(rest)}
        </button>
      )}
    </div>
  )
}
