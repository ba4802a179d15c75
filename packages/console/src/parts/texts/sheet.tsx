import { clamped } from '../../format/hostile.js'
import { CONSOLE_LIMITS } from '../../limits.js'
import { Markdown } from './markdown.js'
import { Visible } from './words.js'

const { sheet: MOST } = CONSOLE_LIMITS.texts

export const isTooLong = (text: string) => text.length > MOST

/** A stranger's text in a frame that scrolls, also by keyboard. */
export function Sheet({ text, label, markdown = false }: { text: string; label: string; markdown?: boolean }) {
  const { text: shown } = clamped(text, MOST)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
    <section class="sheet" tabIndex={0} aria-label={label}>
      {markdown ? (
        <div class="markdown">
          <Markdown text={shown} />
        </div>
      ) : (
        <p class="words-block" dir="auto">
          <Visible text={shown} />
        </p>
      )}
    </section>
  )
}
