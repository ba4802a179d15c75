import {
  describeAnswer,
  describeFailedExchange,
  type Logger,
  type Outbound,
  Semaphore,
  withDeadline,
} from '@tidegate/common'
import { AccessError } from '@tidegate/protocol'
import type { Address } from 'viem'
import { PROVIDER_LIMITS } from '../../limits.js'

const { asked: AT_ONCE, waiting: WAITING } = PROVIDER_LIMITS.policies

/** Actions of the policy server, as Ocean Node names them. */
export type PolicyAction =
  | 'download'
  | 'encrypt'
  | 'validateDDO'
  | 'initiate'
  | 'getPD'
  | 'checkSessionId'
  | 'presentationRequest'

/** What a question is about: the fields of its action. `nodeAddress` is the provider's account. */
export type PolicySubject = { nodeAddress: Address } & Record<string, unknown>

/** An answer of the policy server: a JSON object, or nothing. */
export interface PolicyAnswer {
  status: number
  /** Undefined: an empty body. */
  body: Record<string, unknown> | undefined
  /** The body as sent. It may be nested too deep to be written anew. */
  text: string
}

export interface PolicyServerOptions {
  url: string
  apiKey: string | undefined
  /** Reads answers of limited size and time. */
  outbound: Pick<Outbound, 'post'>
  /** Milliseconds for which a question waits for its turn, behind those that a slow server answers. */
  patience: number
  log: Logger
  /** Called for each question. */
  onAsked(action: PolicyAction, outcome: 'allowed' | 'denied' | 'failed'): void
}

/**
 * The policy server of the operator. It gets one POST per question, and answers with status 200 where it agrees. Questions,
 * answers and the key are kept out of the log: they hold sessions and presented credentials.
 */
export class PolicyServer {
  private readonly turns = new Semaphore(AT_ONCE, WAITING, {
    full: () => this.tooMany(),
    closed: () => this.unavailable('is not asked any more'),
  })

  constructor(private readonly options: PolicyServerOptions) {}

  /**
   * Asks a question, which is made when its turn comes: it may hold a document of a megabyte. Throws AccessError
   * `POLICY_UNAVAILABLE` if there is no answer, or none that is JSON, the signal's reason, or the error of the making.
   */
  async ask(
    action: PolicyAction,
    about: () => PolicySubject | Promise<PolicySubject>,
    signal?: AbortSignal,
  ): Promise<PolicyAnswer> {
    const { onAsked, patience } = this.options
    const waiting = { milliseconds: patience, parent: signal, reason: () => this.tooMany() }
    await withDeadline(waiting, (turn) => this.turns.acquire({ signal: turn }))
    try {
      const answer = await this.answerTo({ ...(await about()), action })
      onAsked(action, isAgreement(answer) ? 'allowed' : 'denied')
      return answer
    } catch (error) {
      onAsked(action, 'failed')
      throw error
    } finally {
      this.turns.release()
    }
  }

  private async answerTo(question: PolicySubject): Promise<PolicyAnswer> {
    const { url, apiKey, outbound } = this.options
    const headers = apiKey === undefined ? undefined : { 'x-api-key': apiKey }
    const response = await outbound.post(url, question, headers).catch((error: unknown) => {
      throw this.unavailable(describeFailedExchange(error))
    })
    const { status, text, json } = response
    const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
    // a page with status 200 is no decision, and a wrong key is not the fault of the consumer
    const isReadable = isObject || (text.trim() === '' && status === 200)
    if (!isReadable || status === 401 || (status >= 300 && status < 400))
      throw this.unavailable(describeAnswer(response, 'JSON'))
    return { status, body: isObject ? (json as Record<string, unknown>) : undefined, text }
  }

  private tooMany(): AccessError {
    return this.unavailable('has too many questions under way')
  }

  private unavailable(reason: string): AccessError {
    const { url, log } = this.options
    log.warn({ host: new URL(url).host, reason }, 'policy server failed')
    return new AccessError('POLICY_UNAVAILABLE', 'The policy server of this provider cannot be asked now.')
  }
}

/** Whether an answer agrees: status 200, and no word against it in the body. */
export function isAgreement({ status, body }: PolicyAnswer): boolean {
  return status === 200 && body?.success !== false
}
