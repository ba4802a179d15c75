import { describeAnswer, describeFailedExchange, Outbound } from '@tidegate/common'
import { SETTINGS, type Settings } from '../../config/schema.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { testEvent } from '../../webhooks/event.js'
import { WebhookSender } from '../../webhooks/webhook-sender.js'
import type { Finding } from './files.js'

interface Service {
  kind: string
  url: string
  /** Whether the service answers JSON. Any answer of another one passes: a gateway has a web page, and may redirect. */
  speaksJson?: boolean
  /** Path of a request that changes nothing. */
  path?: string
  optional?: boolean
}

/** A DID that no asset has: a metadata cache answers it with 404. */
const UNKNOWN_ASSET = `/api/aquarius/assets/ddo/did:op:${'0'.repeat(64)}`

/** Requests each of the other configured services once. */
export async function* serviceFindings(settings: Settings): AsyncGenerator<Finding> {
  const outbound = new Outbound({
    timeout: settings.OUTBOUND_TIMEOUT,
    maxSize: PROVIDER_LIMITS.commands.answers.doctor,
  })
  for (const { kind, url, path = '', speaksJson, optional = false } of servicesOf(settings)) {
    const failure = await outbound.text(url + path).then(
      ({ status, ...response }) => {
        // a GET of a service that takes POST may have any other error
        const isWrong = speaksJson && (isRefused(status) || (path !== '' && status !== 404 && !isJson(response.text)))
        return isWrong ? describeAnswer({ status, ...response }, 'JSON') : undefined
      },
      (error: unknown) => describeFailedExchange(error),
    )
    yield { ok: failure === undefined, text: `${kind} ${new URL(url).host}: ${failure ?? 'answers'}`, optional }
  }
  await outbound.close()
  yield* webhookFindings(settings)
}

/** Sends the receiver of webhooks a test event. */
async function* webhookFindings({ WEBHOOK_URL: url, WEBHOOK_SECRET: secrets = [] }: Settings): AsyncGenerator<Finding> {
  if (url === undefined) return
  const sender = new WebhookSender(url, secrets)
  const failure = await sender.send(JSON.stringify(testEvent())).then(
    () => undefined,
    (error: Error) => error.message,
  )
  await sender.close()
  yield { ok: failure === undefined, text: `receiver of webhooks ${new URL(url).host}: ${failure ?? 'takes events'}` }
}

function servicesOf(settings: Settings): Service[] {
  const { IPFS_GATEWAY: ipfs, ARWEAVE_GATEWAY: arweave, FILECOIN_GATEWAY: filecoin = [] } = settings
  const { METADATA_CACHE_URL: caches = [], RBAC_SERVER_URL: rbac, USE_HTTP_PROOF: proofs } = settings
  // default gateways are optional: the assets may not need them
  const byDefault = (name: 'IPFS_GATEWAY' | 'ARWEAVE_GATEWAY') => settings[name] === SETTINGS[name].default
  return [
    ...ipfs.map((url) => ({ kind: 'IPFS gateway', url, optional: byDefault('IPFS_GATEWAY') })),
    ...filecoin.map((url) => ({ kind: 'Filecoin gateway', url })),
    ...arweave.map((url) => ({ kind: 'Arweave gateway', url, optional: byDefault('ARWEAVE_GATEWAY') })),
    ...caches.map((url) => ({ kind: 'metadata cache', url, path: UNKNOWN_ASSET, speaksJson: true })),
    ...(rbac ? [{ kind: 'access control server', url: rbac, speaksJson: true }] : []),
    ...(proofs ? [{ kind: 'receiver of proofs', url: proofs, speaksJson: true }] : []),
  ]
}

/** Whether a status is a redirect, which is not followed, or refuses access. */
const isRefused = (status: number) => (status >= 300 && status < 400) || status === 401 || status === 403

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
