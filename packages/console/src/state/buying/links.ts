import { type Link, link } from '@tidegate/client'
import type { Hex } from 'viem'
import { contextNow } from '../context.js'

export interface Linked {
  did: string
  service: string
  file: number
  order: Hex
}

/** Milliseconds before its end at which a link is renewed. */
const MARGIN = 60_000
const made = new Map<string, Link>()

/** Returns a download link to a file of an order, the last one while it is valid. */
export async function linkTo({ did, service, file, order }: Linked): Promise<Link> {
  const key = `${did}/${service}/${file}/${order}`
  const known = made.get(key)
  if (known && known.expires.getTime() - MARGIN > Date.now()) return known
  const fresh = await link(contextNow(), did, { service, file, order })
  made.set(key, fresh)
  return fresh
}
