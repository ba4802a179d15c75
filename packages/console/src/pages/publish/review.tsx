import type { ComponentChildren } from 'preact'
import { shortAddress } from '../../format/address.js'
import { grouped } from '../../format/amount.js'
import { Button } from '../../parts/button.js'
import { durationText } from '../../parts/values.js'
import { Words } from '../../parts/words.js'
import { draft } from '../../state/publishing/draft.js'
import { addressesOf } from '../../state/publishing/publication.js'
import { useStore } from '../../state/store.js'
import { text } from '../../text.js'
import { Send } from './send.js'
import { useToken } from './token.js'

/** All that was entered, before it is sent. */
export function Review({ edit }: { edit: ((step: number) => void) | undefined }) {
  const now = useStore(draft)
  const { files, name, description, author, license, tags, price, days, access, chainId } = now
  const token = useToken(chainId, price.token)
  const { publish: words, asset } = text
  const rows: [step: number, label: string, value: ComponentChildren][] = [
    [
      0,
      asset.files,
      files.map((file) => <Words key={file.key} text={file.kind === 'upload' ? file.name : file.label} most={80} />),
    ],
    [1, words.name, <Words key="name" text={name} />],
    [1, words.description, description ? <Words key="description" text={description} most={200} /> : asset.notTold],
    [1, words.author, author ? <Words key="author" text={author} /> : asset.notTold],
    [1, words.license, license ? <Words key="license" text={license} /> : asset.notTold],
    [1, words.tags, tags.length > 0 ? <Words key="tags" text={tags.join(', ')} /> : asset.notTold],
    [
      2,
      words.price,
      price.kind === 'free'
        ? words.free
        : `${grouped(price.amount.trim())} ${price.token ? (token?.symbol ?? shortAddress(price.token)) : words.ocean}`,
    ],
    [2, words.timeout, days.trim() ? durationText(Math.round(Number(days) * 86_400)) : words.forever],
    [
      2,
      words.access,
      access.kind === 'everybody' ? words.everybody : addressesOf(access.list).map(shortAddress).join(', '),
    ],
  ]
  return (
    <div class="stack">
      <p class="muted small">{words.reviewHint}</p>
      <dl class="review">
        {rows.map(([step, label, value]) => (
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
