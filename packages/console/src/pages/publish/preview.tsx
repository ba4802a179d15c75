import { grouped } from '../../format/amount.js'
import { Card } from '../../parts/card.js'
import { Words } from '../../parts/texts/words.js'
import type { Draft } from '../../state/publishing/draft.js'
import { sellerNow } from '../../state/sellers.js'
import { useStore } from '../../state/store.js'
import { publishText } from '../../text/publish.js'
import { text } from '../../text.js'
import { walletState } from '../../wallet/wallet.js'
import { useToken } from './token.js'

/** The future card of the asset in the catalogue. */
export function Preview({ draft }: { draft: Draft }) {
  const wallet = useStore(walletState)
  const { name, description, author, tags, price, files, chainId } = draft
  const [file] = files
  const own = wallet.status === 'connected' ? wallet.address : undefined
  const token = useToken(chainId, price.token)
  const symbol = price.token === '' ? publishText.ocean : (token?.symbol ?? '')
  const amount = /^\d+(\.\d+)?$/.test(price.amount) ? grouped(price.amount) : '—'
  return (
    <Card
      file={{ name: file?.kind === 'upload' ? file.name : file?.label, type: file?.type }}
      title={
        <p class="card-name">
          <Words text={name || text.untitled} most={90} />
        </p>
      }
      seller={own && sellerNow({ owner: own, publisher: own, author })}
      author={author}
      description={description || publishText.noDescription}
      tags={tags}
      price={price.kind === 'free' ? <span class="free">{text.free}</span> : `${amount} ${symbol}`}
    />
  )
}
