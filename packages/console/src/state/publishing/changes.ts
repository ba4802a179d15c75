import type { Asset, Changes } from '@tidegate/client'
import { decimalOf } from '../../format/amount.js'
import { addressesOf } from './publication.js'

/** The fields of the edit form. */
export interface Edited {
  name: string
  description: string
  author: string
  license: string
  tags: string[]
  /** Amount of the price; empty for an asset without one. */
  price: string
  /** Validity of an order in days; empty for unlimited. */
  days: string
  access: { kind: 'unchanged' | 'everybody' | 'list'; list: string }
}

const DAY = 86_400

/** Returns the initial form of an asset. */
export function editedOf({ name, description, author, license, tags, services }: Asset): Edited {
  const [service] = services
  const timeout = service?.timeout ?? 0
  const { datatoken, exchangeFees } = service?.price ?? {}
  return {
    name,
    description,
    author,
    license,
    tags,
    // the publisher's price without exchange fees
    price: datatoken ? decimalOf(datatoken.units - (exchangeFees?.units ?? 0n), datatoken.decimals) : '',
    days: timeout === 0 ? '' : String(timeout / DAY),
    access: { kind: 'unchanged', list: '' },
  }
}

/** Returns only the changed fields. */
export function changesOf(before: Edited, after: Edited): Changes {
  const texts = (['name', 'description', 'author', 'license'] as const).filter(
    (field) => after[field].trim() !== before[field],
  )
  const { access, days, price, tags } = after
  return {
    ...Object.fromEntries(texts.map((field) => [field, after[field].trim()])),
    ...(tags.join('\n') === before.tags.join('\n') ? {} : { tags }),
    ...(price.trim() === before.price || price.trim() === '' ? {} : { price: { amount: price.trim() } }),
    ...(days.trim() === before.days ? {} : { timeout: days.trim() ? Math.round(Number(days) * DAY) : 0 }),
    ...(access.kind === 'everybody' ? { access: null } : {}),
    ...(access.kind === 'list' ? { access: addressesOf(access.list) } : {}),
  }
}
