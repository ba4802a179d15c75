import type { Chain } from '@tidegate/chain'
import { ValidationError } from '@tidegate/protocol'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import type { PolicyAction, PolicyAnswer } from '../../access/policies/policy-server.js'
import { assertAdmitted } from '../../access/rules/policy.js'
import { openService } from '../../access/service.js'
import { modernMessage } from '../../auth/signature.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { consumerParams, optionalProof, optionalProver, PROOF } from '../endpoints/consumer.js'
import { credentialsOf } from '../endpoints/credentials.js'
import { type JsonSchema, json, named, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { withNonce } from '../endpoints/nonce-use.js'
import { policyMessage, policyServer } from '../endpoints/object-params.js'
import { address, readParams, text } from '../endpoints/params.js'
import type { Services } from '../services.js'

const isOffered = ({ access }: Services) => access.policies.areServed

const ANSWER: JsonSchema = named(
  'PolicyAnswer',
  object(
    {
      success: { type: 'boolean' },
      message: {
        description: 'Text, or an object of the action: sessionId and redirectUri of a new session, or a presentation.',
      },
      httpStatus: { type: 'integer' },
    },
    ['success', 'message', 'httpStatus'],
  ),
)

const ANSWERS = {
  200: json('What the policy server answers.', ANSWER),
  400: json('The same where it refuses, with its status if that is below 500.', ANSWER),
}

const STARTED = { documentId: text, serviceId: text, policyServer }

/** Starts a session of the policy server, in which a consumer presents credentials for a service. */
export const initializePolicyVerification: Endpoint<'last'> = {
  names: ['initializePSVerification'],
  isOffered,
  method: 'POST',
  path: `${PREFIX}/initializePSVerification`,
  nonce: 'last',
  anonymous: true,
  doc: {
    summary: 'Start a session of the policy server',
    description:
      'For assets whose credentials are of a type such as SSIpolicy. The answer has sessionId and redirectUri: the openid4vp: request for the wallet of the consumer. Downloads then send the session in policyServer. A signature over consumerAddress + nonce + "PolicyServerInitialize", or an auth token, is optional unless POLICY_SERVER_PROOF is required.',
    token: true,
    params: { ...STARTED, consumerAddress: address, ...optionalProof(PROOF) },
    body: 'json',
    responses: ANSWERS,
    errors: [
      'DID_NOT_RESOLVED',
      'UNKNOWN_SERVICE',
      'ASSET_NOT_CONSUMABLE',
      'CREDENTIALS_DENIED',
      'CREDENTIALS_UNAVAILABLE',
      'PURGATORY',
      'TAKEN_DOWN',
      'POLICY_UNAVAILABLE',
    ],
  },
  register(app, services) {
    const { access, settings } = services
    const { policies, withheld } = access
    if (!policies.areServed) return
    const schema = z.object(STARTED)
    const claimed = z.object({ consumerAddress: address })
    const signed = consumerParams({ consumerAddress: address }, settings)
    const messages = (consumer: string, nonce: string) => [modernMessage(consumer, nonce, 'PolicyServerInitialize')]
    const prove = optionalProver('consumerAddress', messages, services)
    const handler = withNonce(this.nonce, async (request: FastifyRequest, reply, nonces) => {
      const { documentId, serviceId, policyServer: session } = readParams(schema, request)
      // which says what a proof lacks
      if (settings.POLICY_SERVER_PROOF === 'required' && !credentialsOf(request)) signed(request)
      const { asset, service } = await openService(access, documentId, serviceId)
      const { chain, ddo } = asset
      const proven = await prove(request, chain, nonces)
      const consumer = proven?.address ?? readParams(claimed, request).consumerAddress.address
      request.subject = { did: documentId, service: serviceId, consumer }
      withheld.assertAdmitted(consumer)
      const judges = { lists: access.accessLists, chainId: chain.chainId, hasPolicies: true }
      // nobody presents credentials in vain
      await assertAdmitted(consumer, [...ddo.credentials, ...service.credentials], judges)
      const about = async () => ({
        documentId,
        serviceId,
        ddo: await policies.documentOf(documentId),
        consumerAddress: consumer,
        policyServer: session,
        nodeAddress: chain.key.address,
      })
      const answer = await policies.ask('initiate', about, request.lifetime.signal)
      return async () => passOn(answer, reply)
    })
    app.post(this.path, { bodyLimit: BODY }, handler)
  },
}

/** Bytes of a body: a message, its name and spaces. */
const BODY = 2 * PROVIDER_LIMITS.policies.message

/** The actions that anybody may ask for. Each needs the id of a session. */
const OPEN: readonly PolicyAction[] = ['getPD', 'checkSessionId', 'presentationRequest']

const message = z.object({ policyServerPassthrough: policyMessage })

/** Passes a message of a session on to the policy server. */
export const policyPassthrough: Endpoint = {
  names: ['PolicyServerPassthrough'],
  isOffered,
  method: 'POST',
  path: `${PREFIX}/PolicyServerPassthrough`,
  nonce: 'none',
  anonymous: true,
  doc: {
    operationId: 'policyServerPassthrough',
    summary: 'Send a message to the policy server',
    description:
      'What is to be presented (getPD), the presentation of a wallet (presentationRequest), and what became of it (checkSessionId), each for a sessionId. Other actions are refused. The provider sets the fields ddo and nodeAddress.',
    params: message.shape,
    body: 'json',
    responses: ANSWERS,
    errors: ['TAKEN_DOWN', 'POLICY_UNAVAILABLE'],
  },
  register(app, { access, chains }) {
    const { policies, withheld } = access
    if (!policies.areServed) return
    app.post(this.path, { bodyLimit: BODY }, async (request, reply) => {
      const { policyServerPassthrough: sent } = readParams(message, request)
      const action = OPEN.find((one) => one === sent.action)
      if (action === undefined) {
        const field = 'policyServerPassthrough'
        throw ValidationError.of(field, `The ${field} field must have one of the actions ${OPEN.join(', ')}.`)
      }
      const did = typeof sent.documentId === 'string' ? sent.documentId : undefined
      if (did !== undefined) await withheld.assertShown(did)
      // any of its accounts: the message is about a session, which is of one asset already
      const [{ key }] = [...chains.values()] as [Chain]
      const about = async () => {
        const ddo = did === undefined ? undefined : await policies.find(did)
        return { ...sent, ddo: ddo ?? null, nodeAddress: key.address }
      }
      const answer = await policies.ask(action, about, request.lifetime.signal)
      return passOn(answer, reply)
    })
  },
}

/** Sends what the policy server has answered: a refusal of it is no failure of this provider. */
function passOn({ status, text }: PolicyAnswer, reply: FastifyReply): FastifyReply {
  return reply
    .code(status < 500 ? status : 400)
    .header('cache-control', 'no-store')
    .type('application/json; charset=utf-8')
    .send(text)
}
