import type { Chains } from '@tidegate/chain'
import { publicParts } from '@tidegate/database'
import type { Settings } from '../config/schema.js'
import { packageVersion } from '../version.js'

/** Limits that protect a public service. Value 0 turns a limit off. */
const LIMITS = [
  'RATE_LIMIT_REQUESTS',
  'RATE_LIMIT_BYTES',
  'CONSUMER_REQUESTS_PER_DAY',
  'CONSUMER_BYTES_PER_DAY',
  'ANONYMOUS_REQUESTS',
  'ANONYMOUS_BYTES',
  'MAX_ANONYMOUS_PER_ADDRESS',
  'MAX_DOWNLOADS_PER_ADDRESS',
] as const satisfies (keyof Settings)[]

/** Returns the fields of the first log line. URLs are reduced to their hosts, since they may contain keys. */
export function startFields(settings: Settings, chains: Chains, url: string): Record<string, unknown> {
  return {
    version: packageVersion(),
    node: process.versions.node,
    url,
    chains: [...chains.values()].map(({ chainId, nodes, deployment, key }) => ({
      ...{ chainId, nodes: nodes.health.map(({ host }) => host), factory: deployment.factory, provider: key.address },
    })),
    database: databaseOf(settings),
    limitsOff: LIMITS.filter((name) => settings[name] === 0),
  }
}

function databaseOf({ DATABASE_URL: url, STATE_DIR }: Settings): string {
  if (url === undefined) return `sqlite in ${STATE_DIR}`
  const { host, pathname } = publicParts(url)
  return `postgres at ${host}${pathname}`
}
