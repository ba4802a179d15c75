import { type Asset, terms as readTerms, type Terms } from '@tidegate/client'
import { useLayoutEffect, useState } from 'preact/hooks'
import { Button } from '../../parts/button.js'
import { Dialog } from '../../parts/dialog.js'
import { Notice, Problem, Skeleton } from '../../parts/states.js'
import { ExternalLink, Sha256 } from '../../parts/texts/external-link.js'
import { isTooLong, Sheet } from '../../parts/texts/sheet.js'
import { Words } from '../../parts/texts/words.js'
import { reading } from '../../state/context.js'
import { useResource } from '../../state/resource.js'
import { termsText } from '../../text/terms.js'

interface TermsPanelProps {
  did: string
  terms: Terms
  /** SHA-256 of the accepted terms. */
  accepted: string | undefined
  /** Undefined if there is nothing to buy. */
  onAccept: ((sha256: string | undefined) => void) | undefined
  /** Called if the asset has other terms now. */
  onChanged: () => void
}

/** The terms of an asset: their name, their text if this provider hosts them, and the box that accepts them. */
export function TermsPanel({ did, terms, accepted, onAccept, onChanged }: TermsPanelProps) {
  const words = termsText
  const { url, host, name, sha256, isHere } = terms
  const [reads, setReads] = useState(false)
  const [isDifferent, setDifferent] = useState(false)
  const isAccepted = accepted === sha256
  return (
    <section class="terms stack tight" aria-labelledby="terms">
      <h2 id="terms" class="small">
        {words.title}
      </h2>
      {accepted !== undefined && !isAccepted && <Notice kind="warn">{words.changed}</Notice>}
      {isHere ? (
        <p class="row wrap">
          <Words text={name} most={80} />
          <Button size="small" onClick={() => setReads(true)}>
            {words.read}
          </Button>
        </p>
      ) : (
        <>
          <ExternalLink url={url} host={host} name={name} />
          <p class="muted small">{words.elsewhere(host)}</p>
        </>
      )}
      <Sha256 sha256={sha256} />
      {onAccept && (
        <label class="check">
          <input
            type="checkbox"
            checked={isAccepted && !isDifferent}
            disabled={isDifferent}
            onChange={({ currentTarget }) => onAccept(currentTarget.checked ? sha256 : undefined)}
          />
          <span>{words.accept}</span>
        </label>
      )}
      {reads && (
        <Reading
          did={did}
          terms={terms}
          onClose={() => setReads(false)}
          onDifferent={() => {
            setDifferent(true)
            onAccept?.(undefined)
          }}
          onChanged={onChanged}
        />
      )}
    </section>
  )
}

interface ReadingProps extends Pick<TermsPanelProps, 'did' | 'terms' | 'onChanged'> {
  onClose: () => void
  /** Called if the text is not the described one. */
  onDifferent: () => void
}

function Reading({ did, terms, onClose, onDifferent, onChanged }: ReadingProps) {
  const { value, error, reload } = useResource(`${did}/${terms.sha256}`, (signal) =>
    readTerms(reading(), did, { signal }),
  )
  const isDifferent = (error as { code?: string } | undefined)?.code === 'TERMS_CHANGED'
  // a deferred effect never runs if the dialog is closed in the frame that shows the warning
  useLayoutEffect(() => {
    if (isDifferent) onDifferent()
    if (value && value.sha256 !== terms.sha256) onChanged()
  }, [isDifferent, value])
  const words = termsText
  return (
    <Dialog title={words.title} onClose={onClose} wide>
      {isDifferent ? (
        <Notice kind="warn">{words.different}</Notice>
      ) : error !== undefined ? (
        <Problem error={error} onRetry={reload} />
      ) : value ? (
        <TermsContent terms={value} />
      ) : (
        <Skeleton lines={8} />
      )}
      <p class="small">
        <ExternalLink url={terms.url} host={terms.host} name={words.open} />
      </p>
    </Dialog>
  )
}

type Read = Awaited<ReturnType<typeof readTerms>>

function TermsContent({ terms: { name, contentType, text: content } }: { terms: Read }) {
  const words = termsText
  if (content === undefined) return <p class="muted">{words.unreadable}</p>
  const isMarkdown = /markdown/i.test(contentType) || /\.(md|markdown)$/i.test(name)
  return (
    <>
      <Sheet text={content} label={words.title} markdown={isMarkdown} />
      {isTooLong(content) && <p class="muted small">{words.cut}</p>}
    </>
  )
}

/** The documents of a licence of version 5, as links with their hosts and hashes. */
export function LicenseDocuments({ documents }: { documents: Asset['licenseDocuments'] }) {
  if (documents.length === 0) return null
  return (
    <>
      <h3>{termsText.documents}</h3>
      <ul class="stack tight">
        {documents.map(({ name, url, host, sha256 }, at) => (
          <li key={at}>
            {url && host ? <ExternalLink url={url} host={host} name={name} /> : <Words text={name} most={120} />}
            {sha256 && <Sha256 sha256={sha256} />}
          </li>
        ))}
      </ul>
    </>
  )
}
