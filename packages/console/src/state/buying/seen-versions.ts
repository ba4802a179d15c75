import type { AssetService } from '@tidegate/client'
import { keep, kept } from '../kept.js'

/** Most services whose downloaded version is remembered, the newest last. */
const MOST = 500
const NAME = 'versions'

/** Names of services, and the version of their files that was downloaded. */
type Seen = [service: string, filesVersion: string][]

/** Remembers which version of its files a download was of. */
export function remember(did: string, { id, filesVersion }: AssetService): void {
  if (filesVersion === undefined) return
  const key = keyOf(did, id)
  keep(NAME, [...seen().filter(([one]) => one !== key), [key, filesVersion]].slice(-MOST))
}

/** Whether a service has other files than those downloaded here; undefined if none were. */
export function isNewer(did: string, { id, filesVersion }: AssetService): boolean | undefined {
  const key = keyOf(did, id)
  const known = seen().find(([one]) => one === key)
  return known && known[1] !== filesVersion
}

const keyOf = (did: string, service: string) => `${did} ${service}`

function seen(): Seen {
  const isPair = (one: unknown) =>
    Array.isArray(one) && one.length === 2 && one.every((text) => typeof text === 'string')
  return kept(NAME, (value) => (value as unknown[]).filter(isPair) as Seen, [])
}
