import { createHash } from 'node:crypto'
import type { Asset } from '@tidegate/catalog'
import type { Logger } from '@tidegate/common'
import { AccessError, type Ddo, memoized, type Service } from '@tidegate/protocol'
import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import { PROVIDER_LIMITS } from '../../limits.js'
import {
  isAgreement,
  type PolicyAction,
  type PolicyAnswer,
  type PolicyServer,
  type PolicySubject,
} from './policy-server.js'
import { refusalWords } from './refusal-words.js'

/** What a client sends for the policy server: the id of a session, and where the wallet goes. Passed on as it is. */
export type PolicyParameter = Record<string, unknown>

/** The service that a consumer asks for, and the session of the policy server. */
export interface PolicyCase {
  asset: Asset
  service: Service
  consumer: Address
  /** Undefined: the consumer names no session. */
  policyServer: PolicyParameter | undefined
}

export interface PoliciesOptions {
  /** Undefined: POLICY_SERVER_URL is not set. */
  server: PolicyServer | undefined
  /** Seconds for which an agreement is kept. */
  keep: number
  /** Returns the document of an asset as the index serves it; undefined if it has none. */
  documentOf(did: string): Promise<Record<string, unknown> | undefined>
  log: Logger
}

/**
 * The decisions of the policy server. Each is about one asset, service, consumer and session, and about one version of the
 * document: none counts for another.
 */
export class Policies {
  private readonly kept: LRUCache<string, Promise<void>> | undefined

  constructor(private readonly options: PoliciesOptions) {
    const { keep } = options
    this.kept = keep > 0 ? new LRUCache({ max: PROVIDER_LIMITS.policies.kept, ttl: keep * 1000 }) : undefined
  }

  /** Whether there is a policy server. */
  get areServed(): boolean {
    return this.options.server !== undefined
  }

  /** Throws AccessError if the policy server does not admit a consumer, or does not answer. */
  async assertAdmitted(wanted: PolicyCase): Promise<void> {
    const key = keyOf(wanted)
    const kept = this.kept?.get(key)
    if (kept) return kept
    const made = this.decide(wanted)
    this.kept?.set(key, made)
    // who was refused presents credentials, and asks again
    made.catch(() => this.kept?.peek(key) === made && this.kept.delete(key))
    return made
  }

  /** Throws AccessError if there is a policy server and it does not agree to an action. */
  async assertAgreed(action: PolicyAction, about: PolicySubject): Promise<void> {
    const answer = await this.options.server?.ask(action, () => about)
    if (answer !== undefined && !isAgreement(answer))
      throw refused('The policy server of this provider does not allow this', answer, about.policyServer)
  }

  /** Asks a question of a policy server that `areServed` has confirmed. Throws AccessError, or the signal's reason. */
  async ask(...question: Parameters<PolicyServer['ask']>): Promise<PolicyAnswer> {
    const { server } = this.options
    if (!server) throw new Error('a question without a policy server')
    return server.ask(...question)
  }

  /** Returns the document of an asset, as questions hold it; undefined if the index has none. */
  find(did: string): Promise<Record<string, unknown> | undefined> {
    return this.options.documentOf(did)
  }

  /** Returns the document that a question is about. Throws AccessError if the index has none. */
  async documentOf(did: string): Promise<Record<string, unknown>> {
    const document = await this.find(did)
    if (document) return document
    this.options.log.warn({ did }, 'the policy server was not asked: the index has no document of the asset')
    throw new AccessError(
      'POLICY_UNAVAILABLE',
      'The policy server cannot be asked: the index has no document of the asset.',
    )
  }

  private async decide({ asset, service, consumer, policyServer }: PolicyCase): Promise<void> {
    const { ddo, chain } = asset
    const answer = await this.ask('download', async () => ({
      documentId: ddo.id,
      ddo: await this.documentOf(ddo.id),
      serviceId: service.id,
      consumerAddress: consumer,
      policyServer: policyServer ?? null,
      nodeAddress: chain.key.address,
    }))
    if (isAgreement(answer)) return
    throw refused(
      'Asset is not consumable. The policy server of this provider does not admit consumerAddress',
      answer,
      policyServer,
      // market front ends look for this code of the first provider
      ' (denied with code: ConsumableCodes.CREDENTIAL_NOT_IN_ALLOW_LIST)',
    )
  }
}

function refused(what: string, answer: PolicyAnswer, asked: unknown, code = ''): AccessError {
  const words = refusalWords(answer, asked)
  return new AccessError('POLICY_DENIED', `${what}${words === undefined ? '' : `: "${words}"`}${code}.`)
}

/** Hashed, so that the cache holds no session. */
function keyOf({ asset, service, consumer, policyServer = {} }: PolicyCase): string {
  const sent = Object.entries(policyServer).sort(([one], [other]) => (one < other ? -1 : 1))
  const parts = [asset.ddo.id, asset.published, versionOf(asset.ddo), service.id, consumer, sent]
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64')
}

/** Returns a digest of what a document says: each reading of the index makes another object of the same version. */
const versionOf = memoized((ddo: Ddo): string => {
  const text = JSON.stringify(ddo, (_name, value) => (value instanceof Set ? [...value] : value))
  return createHash('sha256').update(text).digest('base64')
})
