import { Button } from '../../parts/button.js'
import { announce } from '../../state/page/announce.js'
import { text } from '../../text.js'

interface PagerProps {
  /** From 0. */
  page: number
  pages: number
  onTurn: (page: number) => void
}

/** Turns the pages of a list of files. Its buttons keep their places, and the focus. */
export function RowPager({ page, pages, onTurn }: PagerProps) {
  const { asset: words, catalogue } = text
  const turn = (to: number) => {
    const next = Math.min(Math.max(0, to), pages - 1)
    onTurn(next)
    announce(catalogue.page(next + 1, pages))
  }
  return (
    <nav class="row between wrap" aria-label={words.filePages}>
      <Button size="small" icon="left" disabled={page === 0} onClick={() => turn(page - 1)}>
        {catalogue.previous}
      </Button>
      <label class="row small muted">
        {words.filePage}
        <input
          type="number"
          min={1}
          max={pages}
          value={page + 1}
          onChange={({ currentTarget }) => {
            turn(Math.trunc(Number(currentTarget.value)) - 1 || 0)
            currentTarget.value = String(Math.min(Math.max(1, Math.trunc(Number(currentTarget.value)) || 1), pages))
          }}
        />
        {words.ofPages(pages)}
      </label>
      <Button size="small" icon="right" disabled={page === pages - 1} onClick={() => turn(page + 1)}>
        {catalogue.next}
      </Button>
    </nav>
  )
}
