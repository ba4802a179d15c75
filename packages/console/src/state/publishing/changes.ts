import type { Asset, Changes } from '@tidegate/client'
import { SECONDS } from '@tidegate/protocol/constants'
import { decimalOf } from '../../format/amount.js'
import { addressesOf } from './publication.js'
import { type TermsDraft, termsDraftOf, termsIn } from './terms-draft.js'

/** The fields of the edit form. */
export interface Edited {
  name: string
  description: string
  author: string
  license: string
  tags: string[]
  /** `none` for an asset that is not for sale. The token is empty for OCEAN. */
  price: { kind: 'free' | 'paid' | 'none'; amount: string; token: string }
  /** Validity of an order in days; empty for unlimited. */
  days: string
  access: { kind: 'unchanged' | 'everybody' | 'list' | 'members'; list: string }
  terms: TermsDraft
  samples: { url: string; name: string }[]
  unlisted: boolean
}

/** Returns the initial form of an asset. */
export function editedOf(asset: Asset): Edited {
  const { name, description, author, license, tags, state, services, terms, links } = asset
  const [service] = services
  const timeout = service?.timeout ?? 0
  const { type, datatoken, exchangeFees } = service?.price ?? {}
  return {
    name,
    description,
    author,
    license,
    tags,
    price: {
      kind: type === 'fixed' ? 'paid' : type === 'free' ? 'free' : 'none',
      // the publisher's price without exchange fees
      amount: datatoken ? decimalOf(datatoken.units - (exchangeFees?.units ?? 0n), datatoken.decimals) : '',
      token: datatoken?.token ?? '',
    },
    days: timeout === 0 ? '' : String(timeout / SECONDS.day),
    access: { kind: 'unchanged', list: '' },
    terms: termsDraftOf(terms),
    samples: links.filter(({ isHere }) => isHere).map(({ url, name }) => ({ url, name })),
    unlisted: state === 'unlisted',
  }
}

/** Returns only the changed fields. */
export function changesOf(before: Edited, after: Edited): Changes {
  const texts = (['name', 'description', 'author', 'license'] as const).filter(
    (field) => after[field].trim() !== before[field],
  )
  const { access, days, price, tags, unlisted } = after
  const amount = price.amount.trim()
  const isSamePrice =
    price.kind === before.price.kind &&
    (price.kind !== 'paid' || (amount === before.price.amount && price.token === before.price.token))
  return {
    ...Object.fromEntries(texts.map((field) => [field, after[field].trim()])),
    ...(tags.join('\n') === before.tags.join('\n') ? {} : { tags }),
    ...(isSamePrice ? {} : { price: price.kind === 'free' ? 'free' : { amount, token: price.token || 'OCEAN' } }),
    ...(days.trim() === before.days ? {} : { timeout: days.trim() ? Math.round(Number(days) * SECONDS.day) : 0 }),
    ...accessChange(access),
    ...termsChange(before.terms, after.terms),
    ...(urlsOf(after) === urlsOf(before) ? {} : { samples: after.samples.map(({ url }) => url) }),
    ...(unlisted === before.unlisted ? {} : { state: unlisted ? 'unlisted' : 'active' }),
  }
}

const urlsOf = ({ samples }: Edited) => samples.map(({ url }) => url).join(' ')

/** Accounts replace access lists, and access lists replace accounts. */
function accessChange({ kind, list }: Edited['access']): Pick<Changes, 'access' | 'accessLists'> {
  if (kind === 'unchanged') return {}
  if (kind === 'everybody') return { access: null, accessLists: null }
  const addresses = addressesOf(list)
  return kind === 'list' ? { access: addresses, accessLists: null } : { access: null, accessLists: addresses }
}

function termsChange(before: TermsDraft, after: TermsDraft): Pick<Changes, 'terms'> {
  const [old, now] = [termsIn(before), termsIn(after)]
  if (now && 'problem' in now) return {}
  return JSON.stringify(old) === JSON.stringify(now) ? {} : { terms: now ?? null }
}
