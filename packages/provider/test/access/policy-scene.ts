import type { Wallet } from 'ethers'
import { beforeAll, beforeEach, expect } from 'vitest'
import { publishedAnew, SSI } from '../../../../test/helpers/policy-asset.js'
import { PolicyServerHere, VALID } from '../../../../test/helpers/policy-server.js'
import type { Published } from '../../../../test/helpers/publish.js'
import { ask, askJson, downloadParams } from '../../../../test/helpers/requests.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'

export const KEY = 'the key of the policy server'
export const EMPTY = {
  successRedirectUri: '',
  errorRedirectUri: '',
  responseRedirectUri: '',
  presentationDefinitionUri: '',
}

/** A service with a policy server, and an asset whose publisher asks for credentials, sold to a buyer. `usePolicyScene` fills them. */
export let world: World
export let server: PolicyServerHere
export let publisher: Wallet
export let asset: Published
export let buyer: Wallet
export let txId: string
export let base: string
export let did: string

/** Starts the scene for the tests of a file. Each test begins with an honest policy server and no questions. */
export function usePolicyScene(): void {
  beforeAll(async () => {
    server = new PolicyServerHere(await StorageServer.start(), KEY)
    world = await World.start({ POLICY_SERVER_URL: server.url, POLICY_SERVER_API_KEY: KEY, OUTBOUND_TIMEOUT: '500' })
    publisher = await world.somebody()
    ;({ asset, buyer, txId } = await world.sold(world.storage.file('/a.csv', Buffer.from('tide')), { publisher }))
    base = `${world.network.providerUrl}/api/services`
    did = await publishedAnew(world, publisher, asset, { allow: [SSI] })
  })
  beforeEach(() => {
    server.instead = undefined
    server.asked.length = 0
  })
}

export const post = (route: string, body: object) => askJson(`${base}/${route}`, body)
export const started = async (consumer = buyer.address, of = did) => {
  const { json } = await post('initializePSVerification', {
    ...{
      documentId: of,
      serviceId: 'tide-access',
      consumerAddress: consumer,
      policyServer: { sessionId: '', ...EMPTY },
    },
  })
  return (json.message as { sessionId: string }).sessionId
}
export const present = (sessionId: string, vp_token = VALID) =>
  post('PolicyServerPassthrough', {
    policyServerPassthrough: { action: 'presentationRequest', sessionId, vp_token, presentation_submission: '{}' },
  })
/** A session in which the consumer has presented what is asked for. */
export const passed = async (consumer = buyer.address, of = did) => {
  const session = await started(consumer, of)
  expect((await present(session)).status).toBe(200)
  return session
}
export const sessionText = (sessionId: string) => JSON.stringify({ sessionId, ...EMPTY })
export const download = async (policyServer?: string, of = did, signer = buyer) =>
  ask(
    `${base}/download?${await downloadParams({ ...asset, did: of }, txId, signer, policyServer === undefined ? {} : { policyServer })}`,
  )
export const initialize = (more: Record<string, string> = {}) =>
  ask(
    `${base}/initialize?${new URLSearchParams({ documentId: did, serviceId: 'tide-access', consumerAddress: buyer.address, ...more })}`,
  )
