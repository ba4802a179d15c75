import { useEffect, useRef } from 'preact/hooks'
import { Picture } from '../../icons/illustrations.js'
import { Button, ButtonLink } from '../../parts/button.js'
import { CopyButton } from '../../parts/copy.js'
import { Words } from '../../parts/texts/words.js'
import { pathOf } from '../../state/page/route.js'
import { publishText } from '../../text/publish.js'
import { text } from '../../text.js'

/** The published asset with its address, for sharing. */
export function Done({ did, name, another }: { did: string; name: string; another: () => void }) {
  const words = publishText
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const path = pathOf({ page: 'asset', did })
  const url = new URL(path, location.origin).href
  return (
    <section class="panel done">
      <Picture name="gate" />
      <h1 ref={heading} tabIndex={-1}>
        {words.done}
      </h1>
      <p class="large">
        <Words text={name} most={120} />
      </p>
      <p class="muted">{words.doneHint}</p>
      <div class="share">
        <input
          class="mono small"
          readOnly
          value={url}
          aria-label={words.doneHint}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        <CopyButton value={url} label={text.asset.copyLink}>
          {text.copy}
        </CopyButton>
      </div>
      <p class="mono tiny muted break" data-did={did}>
        {did}
      </p>
      <div class="row center wrap">
        <ButtonLink kind="primary" href={path}>
          {words.open}
        </ButtonLink>
        <Button onClick={another}>{words.another}</Button>
      </div>
    </section>
  )
}
