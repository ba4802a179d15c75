import { SECONDS } from '@tidegate/protocol/constants'
import { shortAddress } from '@tidegate/protocol/values'
import type { ComponentChildren } from 'preact'
import { grouped } from '../../format/amount.js'
import { Button } from '../../parts/button.js'
import { ExternalLink, Sha256 } from '../../parts/texts/external-link.js'
import { Words } from '../../parts/texts/words.js'
import { durationText } from '../../parts/values.js'
import { type Draft, draft } from '../../state/publishing/draft.js'
import { addressesOf } from '../../state/publishing/publication.js'
import { termsIn } from '../../state/publishing/terms-draft.js'
import { useStore } from '../../state/store.js'
import { publishText } from '../../text/publish.js'
import { samplesText, termsText } from '../../text/terms.js'
import { text } from '../../text.js'
import { Send } from './send.js'
import { useListedTokens, useToken } from './token.js'

/** The whole draft, for a last look before the transactions. */
export function Review({ edit }: { edit: ((step: number) => void) | undefined }) {
  const now = useStore(draft)
  const { chainId, price } = now
  const token = useToken(chainId, price.token)
  const listed = useListedTokens(chainId).find(([, address]) => address === price.token)
  // a contract may claim any symbol, so the address is shown too
  const symbol = listed?.[0] ?? (token && `${token.symbol} (${shortAddress(price.token)})`)
  const words = publishText
  return (
    <div class="stack">
      <p class="muted small">{words.reviewHint}</p>
      <dl class="review">
        {rowsOf(now, symbol).map(([step, label, value]) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>{value}</dd>
            {edit && (
              <dd>
                <button
                  type="button"
                  class="text-button"
                  aria-label={`${words.edit}: ${label}`}
                  onClick={() => edit(step)}
                >
                  {words.edit}
                </button>
              </dd>
            )}
          </div>
        ))}
      </dl>
      <Send />
      {edit && (
        <footer class="form-actions">
          <Button icon="left" onClick={() => edit(2)}>
            {words.back}
          </Button>
        </footer>
      )}
    </div>
  )
}

type Row = [step: number, label: string, value: ComponentChildren]

function rowsOf({ files, price, days, access, unlisted, ...draft }: Draft, symbol: string | undefined): Row[] {
  const words = publishText
  const { asset } = text
  const accepted = termsIn(draft.terms)
  const told = (value: string, most?: number) =>
    value ? <Words text={value} {...(most === undefined ? {} : { most })} /> : asset.notTold
  const token = price.token ? (symbol ?? shortAddress(price.token)) : words.ocean
  return [
    [
      0,
      asset.files,
      files.map((file) => <Words key={file.key} text={file.kind === 'upload' ? file.name : file.label} most={80} />),
    ],
    [1, words.name, <Words key="name" text={draft.name} />],
    [1, words.description, told(draft.description, 200)],
    [1, words.author, told(draft.author)],
    [1, words.license, told(draft.license)],
    [1, words.tags, told(draft.tags.join(', '))],
    [1, samplesText.label, told(draft.samples.map(({ name }) => name).join(', '))],
    [2, words.price, price.kind === 'free' ? words.free : `${grouped(price.amount.trim())} ${token}`],
    [2, words.timeout, days.trim() ? durationText(Math.round(Number(days) * SECONDS.day)) : words.forever],
    [
      2,
      words.access,
      access.kind === 'everybody'
        ? words.everybody
        : `${access.kind === 'members' ? `${words.members}: ` : ''}${addressesOf(access.list).map(shortAddress).join(', ')}`,
    ],
    [
      2,
      termsText.title,
      accepted && !('problem' in accepted) ? (
        <div key="terms">
          <ExternalLink url={accepted.url} host={new URL(accepted.url).host} name={accepted.name} />
          <Sha256 sha256={accepted.sha256} />
        </div>
      ) : (
        termsText.kinds.none
      ),
    ],
    [2, words.listing, unlisted ? words.unlisted : words.listed],
  ]
}
