import type { Asset, Release } from '@tidegate/client'
import { shownBytes } from '../../format/bytes.js'
import { guessedName } from '../../icons/file-icon.js'
import { Card } from '../../parts/card.js'
import { Words } from '../../parts/texts/words.js'
import { PriceText, Time } from '../../parts/values.js'
import { pathOf } from '../../state/page/route.js'
import { sellerNow } from '../../state/sellers.js'
import { text } from '../../text.js'

type Told = Pick<
  Asset,
  | 'did'
  | 'name'
  | 'description'
  | 'author'
  | 'license'
  | 'tags'
  | 'owner'
  | 'publisher'
  | 'orders'
  | 'services'
  | 'type'
> & {
  created?: Date
}

/** Most formats of a card. */
const FORMATS = 3

/** Returns what a buyer compares: formats, size and licence. */
function factsOf(release: Release | undefined, license: string): string[] {
  const { formats = [], bytes } = release ?? {}
  return [
    formats.slice(0, FORMATS).join(', ').toUpperCase(),
    bytes === undefined ? '' : shownBytes(bytes),
    license,
  ].filter((one) => one !== '')
}

/** An asset of a list. The whole card is a link to its page. */
export function AssetCard({ asset }: { asset: Told }) {
  const { did, name, description, author, license, tags, orders, services, created, type } = asset
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
      seller={sellerNow(asset)}
      author={author}
      description={description}
      facts={factsOf(service?.release, license)}
      tags={tags}
      price={service ? <PriceText price={service.price} /> : <span class="muted">{text.unknownPrice}</span>}
      note={orders > 0 ? text.catalogue.orders(orders) : created && <Time time={created} />}
    />
  )
}
