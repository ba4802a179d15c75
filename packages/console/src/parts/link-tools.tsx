import { useState } from 'preact/hooks'
import { curlLine } from '../format/shell.js'
import { type Linked, linkTo } from '../state/buying/links.js'
import { follow } from '../state/buying/sinks.js'
import { announce } from '../state/page/announce.js'
import { text } from '../text.js'
import { Button } from './button.js'
import { copyText } from './copy.js'
import { Problem } from './states.js'
import { Time } from './values.js'

type Tool = 'browser' | 'link' | 'curl'

/** Ways to download outside of the page: the browser, a link to share, a line for a terminal. `path`: see `pathOf`. */
export function LinkTools({ wanted, path }: { wanted: Linked; path: () => string }) {
  const [busy, setBusy] = useState<Tool>()
  const [made, setMade] = useState<{ url: string; line: string; expires: Date; tool: Tool; copied: boolean }>()
  const [error, setError] = useState<unknown>()
  const { asset: words } = text
  const use = async (tool: Tool) => {
    setBusy(tool)
    setError(undefined)
    try {
      const { url, expires } = await linkTo(wanted)
      const line = tool === 'curl' ? curlLine(url, path()) : url
      if (tool === 'browser') follow(url)
      const copied = tool !== 'browser' && (await copyText(line))
      if (copied) announce(tool === 'curl' ? words.curlCopied : words.linkCopied)
      setMade({ url, line, expires, tool, copied })
    } catch (refusal) {
      setError(refusal)
    }
    setBusy(undefined)
  }
  return (
    <details class="link-tools">
      <summary>{words.more}</summary>
      <div class="stack">
        <div class="row wrap">
          <Button size="small" icon="download" busy={busy === 'browser'} onClick={() => use('browser')}>
            {words.byLink}
          </Button>
          <Button size="small" icon="link" busy={busy === 'link'} onClick={() => use('link')}>
            {words.copyLink}
          </Button>
          <Button size="small" icon="terminal" busy={busy === 'curl'} onClick={() => use('curl')}>
            {words.copyCurl}
          </Button>
        </div>
        {made && made.tool !== 'browser' && (
          <div class="made-link">
            <input
              class="mono small"
              readOnly
              value={made.line}
              aria-label={words.makeLinkLabel}
              onFocus={({ currentTarget }) => currentTarget.select()}
            />
            <p class="muted small">
              {made.copied ? (made.tool === 'curl' ? words.curlCopied : words.linkCopied) : text.copyFailed}{' '}
              {words.linkExpires} <Time time={made.expires} as="minute" />.
            </p>
          </div>
        )}
        {made?.tool === 'browser' && <p class="muted small">{words.byLinkHint}</p>}
        {error !== undefined && <Problem error={error} />}
      </div>
    </details>
  )
}
