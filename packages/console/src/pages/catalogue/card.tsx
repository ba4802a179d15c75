import type { Asset } from '@tidegate/client'
import { guessedName } from '../../icons/file-icon.js'
import { Card } from '../../parts/card.js'
import { Words } from '../../parts/texts/words.js'
import { PriceText, Time } from '../../parts/values.js'
import { pathOf } from '../../state/page/route.js'
import { text } from '../../text.js'

type Told = Pick<
  Asset,
  'did' | 'name' | 'description' | 'author' | 'tags' | 'owner' | 'orders' | 'services' | 'type'
> & {
  created?: Date
}

/** An asset of a list. The whole card is a link to its page. */
export function AssetCard({ asset }: { asset: Told }) {
  const { did, name, description, author, tags, owner, orders, services, created, type } = asset
  const [service] = services
  const [file] = service?.files ?? []
  return (
    <Card
      file={{ name: file?.name ?? guessedName(tags, type), type: file?.contentType }}
      title={
        <h3>
          <a href={pathOf({ page: 'asset', did })}>
            <Words text={name || text.untitled} most={90} />
          </a>
        </h3>
      }
      owner={owner}
      author={author}
      description={description}
      tags={tags}
      price={service ? <PriceText price={service.price} /> : <span class="muted">{text.unknownPrice}</span>}
      note={orders > 0 ? text.catalogue.orders(orders) : created && <Time time={created} />}
    />
  )
}
