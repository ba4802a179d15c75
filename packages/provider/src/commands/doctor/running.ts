import type { Chains } from '@tidegate/chain'
import { describeAnswer, describeFailedExchange, Outbound, type OutboundJson } from '@tidegate/common'
import type { Settings } from '../../config/schema.js'
import { LOOPBACK } from '../../http/endpoints/public-url.js'
import { isPrivate } from '../../http/limits/address.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { localUrl } from '../health.js'
import type { Finding } from './files.js'

/** An address for documentation (RFC 5737), which no client has. */
const FORGED = '203.0.113.77'

/** Asks the running service whether it is ready, where it listens and at PUBLIC_URL. */
export async function* runningFindings(settings: Settings, chains: Chains): AsyncGenerator<Finding> {
  const { HOST, PORT, PUBLIC_URL } = settings
  const outbound = new Outbound({
    timeout: settings.OUTBOUND_TIMEOUT,
    maxSize: PROVIDER_LIMITS.commands.answers.doctor,
  })
  try {
    // any free port cannot be known here
    if (PORT !== 0) yield* readyFindings(outbound, `service at ${HOST} port ${PORT}`, localUrl(HOST, PORT, ''))
    if (PUBLIC_URL !== undefined) yield* publicFindings(outbound, PUBLIC_URL, chains)
  } finally {
    await outbound.close()
  }
}

async function* publicFindings(outbound: Outbound, url: string, chains: Chains): AsyncGenerator<Finding> {
  const name = `PUBLIC_URL ${url}`
  const { protocol, hostname } = new URL(url)
  const isLocal = LOOPBACK.has(hostname.replace(/[[\]]/g, ''))
  if (protocol !== 'https:' && !isLocal) yield { ok: false, optional: true, text: `${name}: is not https` }
  const answer = await outbound.get(`${url}/`).catch((error: unknown) => error)
  if (answer instanceof Error) return yield unreached(name, answer)
  const { json, ...response } = answer as OutboundJson
  const { software, providerAddresses } = (json ?? {}) as Record<string, unknown>
  if (response.status !== 200 || software !== 'Tidegate') {
    const text =
      software === undefined || json === undefined ? describeAnswer(response, 'the root document') : 'is not Tidegate'
    return yield { ok: false, text: `${name}: ${text}` }
  }
  const stranger = [...chains.values()].find(
    ({ chainId, key }) => (providerAddresses as Record<number, unknown> | undefined)?.[chainId] !== key.address,
  )
  if (stranger)
    return yield { ok: false, text: `${name}: leads to a service with another key for chain ${stranger.chainId}` }
  yield { ok: true, text: `${name}: leads to this service` }
  yield* readyFindings(outbound, name, url, !isLocal)
}

async function* readyFindings(
  outbound: Outbound,
  name: string,
  url: string,
  isBehindProxy = false,
): AsyncGenerator<Finding> {
  const headers = isBehindProxy ? { 'x-forwarded-for': FORGED } : {}
  const answer = await outbound.get(`${url}/ready`, headers).catch((error: unknown) => error)
  if (answer instanceof Error) return yield unreached(name, answer)
  const { json, ...response } = answer as OutboundJson
  const found = json as Readiness | undefined
  if (typeof found?.ready !== 'boolean' || !Array.isArray(found.chains))
    return yield { ok: false, text: `${name}: ${describeAnswer(response, 'its readiness')}` }
  const faults = faultsOf(found)
  if (!found.ready || faults.length > 0)
    for (const fault of faults.length > 0 ? faults : ['is not ready']) yield { ok: false, text: `${name}: ${fault}` }
  else yield { ok: true, text: `${name}: is ready` }
  if (!isBehindProxy) return
  if (found.caller === FORGED)
    yield { ok: false, text: `${name}: takes the X-Forwarded-For of any client: the proxy must replace it` }
  else if (isPrivate(found.caller)) {
    const advice = 'TRUSTED_PROXIES must name the proxy, unless this machine has that address'
    yield { ok: false, optional: true, text: `${name}: sees this request from ${found.caller}: ${advice}` }
  }
}

/** The fields of `GET /ready` that are printed. */
interface Readiness {
  ready: boolean
  caller?: string
  storeTrouble?: string
  chains: {
    chainId: number
    ready: boolean
    quotes?: boolean
    factory?: boolean
    clock?: number | null
    paused: boolean
    lag: number | null
    age: number | null
  }[]
}

function faultsOf({ ready: isReady, storeTrouble, chains }: Readiness): string[] {
  return [
    ...(storeTrouble ? [`is not ready: its database has a fault (${storeTrouble})`] : []),
    ...chains.flatMap(({ chainId, ready, quotes, factory, clock, paused, lag, age }) => {
      if (ready && quotes !== false) return []
      if (paused) return [`is not ready: the index of chain ${chainId} pauses, since the disk is nearly full`]
      if (ready) return [`${isReady ? '' : 'is not ready: '}quotes no order of chain ${chainId}: see CANNOT_DELIVER`]
      if (factory === false) return [`is not ready: the nodes of chain ${chainId} do not know the contracts`]
      if (clock && lag === 0) return [`is not ready: its clock is ${clock} s from that of chain ${chainId}`]
      const seen =
        age === null ? 'no head was seen' : `${lag} blocks behind a head seen ${Math.round(age / 1000)} s ago`
      return [`is not ready: the index of chain ${chainId} is not current (${seen})`]
    }),
  ]
}

/** A service that does not run yet, and a network that leads no address back to itself, are no faults. Wrong TLS is one. */
function unreached(name: string, error: Error): Finding {
  const text = describeFailedExchange(error)
  return { ok: false, optional: !text.includes('TLS'), text: `${name}: ${text}` }
}
