import { type Link, link } from '@tidegate/client'
import type { Hex } from 'viem'
import { CONSOLE_LIMITS } from '../../limits.js'
import { contextNow } from '../context.js'
import { forgetRefused } from './credentials.js'

export interface Linked {
  did: string
  service: string
  /** Undefined for an archive of all files. */
  file: number | undefined
  order: Hex
}

const { renewal: MARGIN } = CONSOLE_LIMITS.downloads
const made = new Map<string, Link>()

/** Returns a download link to a file of an order, or an archive of all: the last one while it is valid. */
export async function linkTo({ did, service, file, order }: Linked): Promise<Link> {
  const key = `${did}/${service}/${file ?? 'all'}/${order}`
  const known = made.get(key)
  if (known && known.expires.getTime() - MARGIN > Date.now()) return known
  const files = file === undefined ? { archive: true } : { file }
  const fresh = await link(contextNow(), did, { service, order, ...files }).catch((error) => {
    forgetRefused(error, did, service)
    throw error
  })
  made.set(key, fresh)
  return fresh
}
