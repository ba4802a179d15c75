import type { Address } from '../hex.js'
import { SELLER_LIMITS } from '../limits.js'
import { addressIn, defined, fieldsOf } from '../values/fields.js'
import { printable } from '../values/text.js'
import type { Asset } from './types.js'

/** Who sells an asset. Its author is a text that anybody may write; only the account is a fact. */
export interface Seller {
  /** The owner of the data NFT, who controls the asset. */
  account: Address
  /** The account that has sent the newest metadata, if another one: the deployer of a data NFT chooses its owner. */
  describedBy?: Address
  /** The name that the operator of the provider has verified for this account. */
  verified?: string
  /** The verified name that the author has, or seems to have, though this asset is not from that publisher. */
  imitates?: string
}

/** The names that the operator of a provider has verified, by account. */
export type VerifiedPublishers = ReadonlyMap<Address, string>

/**
 * Returns the seller of an asset. A name is verified only if its account owns the data NFT and has sent the newest metadata.
 *
 * @example
 * const { account, verified } = sellerOf(asset, verifiedIn(root.verifiedPublishers))
 */
export function sellerOf(
  { owner, publisher, author }: Pick<Asset, 'owner' | 'publisher' | 'author'>,
  names: VerifiedPublishers,
): Seller {
  const verified = publisher === owner ? names.get(owner) : undefined
  return {
    account: owner,
    ...defined({
      describedBy: publisher === owner ? undefined : publisher,
      verified,
      imitates: verified === undefined ? imitated(author, names) : undefined,
    }),
  }
}

/** Reads the field `verifiedPublishers` of a provider's root document. */
export function verifiedIn(told: unknown): VerifiedPublishers {
  const named = Object.entries(fieldsOf(told)).slice(0, SELLER_LIMITS.verified.publishers)
  return new Map(
    named.flatMap(([account, name]): [Address, string][] => {
      const address = addressIn(account)
      const shown = typeof name === 'string' ? printable(name, SELLER_LIMITS.verified.name) : ''
      return address && shown ? [[address, shown]] : []
    }),
  )
}

/** Fewest letters and digits of a name that is looked for inside of longer texts. */
const PART = 5

/** Characters of an author that are compared. Pages show fewer. */
const COMPARED = 200

const skeletons = new WeakMap<VerifiedPublishers, [skeleton: string, name: string][]>()

function imitated(author: string, names: VerifiedPublishers): string | undefined {
  if (names.size === 0 || author === '') return undefined
  const known = skeletons.get(names) ?? [...names.values()].map((name): [string, string] => [skeleton(name), name])
  skeletons.set(names, known)
  const claimed = skeleton(author.slice(0, COMPARED))
  return known.find(([own]) => own !== '' && (claimed === own || (own.length >= PART && claimed.includes(own))))?.[1]
}

/** Letters of Cyrillic, Greek and Armenian, and digits, that look like a Latin letter. */
const ALIKE = {
  a: '\u0430\u03b1',
  b: '\u0432\u03b2',
  c: '\u0441\u03f2',
  d: '\u0501',
  e: '\u0435\u03b5',
  g: '\u0261',
  h: '\u043d\u04bb',
  i: '\u0456\u03b9',
  j: '\u0458',
  k: '\u043a\u03ba',
  m: '\u043c',
  n: '\u0578\u03b7',
  o: '\u043e\u03bf0',
  p: '\u0440\u03c1',
  q: '\u051b',
  s: '\u0455',
  t: '\u0442\u03c4',
  u: '\u057d\u03c5',
  v: '\u0475\u03bd',
  w: '\u051d\u03c9',
  x: '\u0445\u03c7',
  y: '\u0443\u03b3',
  l: '1\u04cf',
}
const LATIN = new Map(Object.entries(ALIKE).flatMap(([latin, others]) => [...others].map((other) => [other, latin])))

/** Returns the letters and digits of a text as they look: in one case, without accents, in Latin letters where those look alike. */
function skeleton(text: string): string {
  const plain = text.normalize('NFKD').toUpperCase().toLowerCase().normalize('NFKD')
  const letters = plain.replace(/[^\p{L}\p{N}]/gu, '')
  return Array.from(letters, (letter) => LATIN.get(letter) ?? letter)
    .join('')
    .replaceAll('i', 'l')
}
