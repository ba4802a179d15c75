import { setTimeout as sleep } from 'node:timers/promises'
import { TimeoutError } from 'viem'
import { CHAIN_LIMITS } from '../limits.js'
import type { NodeAbilities } from './abilities.js'
import { batchFailure, isRateLimitStatus, retryAfterFrom } from './batch-failures.js'
import { type Call, type JsonRpcHttp, type Reply, replyIn } from './json-rpc-http.js'
import type { Patience } from './pace.js'
import { isBatchRefusal, RateLimited, rateLimitIn, retryAfterIn } from './rate-limits.js'

/** What came of one call. */
export type CallOutcome = { reply: Reply } | { error: unknown }

/** Milliseconds before a request for events is sent again whose refusal may be for the rate. */
const DOUBT_PAUSE = 250

/** Times the time-out of one request that calls may take which a node answers in small parts. */
const PARTS_TIMEOUT = 3

/** The calls that one caller sends, and what came of each. */
interface Sending extends Patience {
  outcomes: Map<Call, CallOutcome>
  /** When no further request is begun, by performance.now(). */
  ends: number
}

/**
 * Sends calls to one node in requests of the size, and at the rate, that the node takes. Learns both from its answers: a
 * batch that is refused, or answered in part, is sent again in smaller parts; calls refused for their rate are sent again
 * after a pause if no other node can be asked.
 */
export class CallSender {
  private probeId = 0

  /** `timeout`: milliseconds that calls wait for the pace of the node. */
  constructor(
    private readonly http: JsonRpcHttp,
    private readonly abilities: NodeAbilities,
    private readonly timeout: number,
  ) {}

  /** Sends calls, in one request if the node takes that. Resolves with an outcome for each, in their order. */
  async send(calls: Call[], signal: AbortSignal | undefined): Promise<CallOutcome[]> {
    const { batches, isAlone } = this.abilities
    const start = performance.now()
    const [latest, ends] = [start + this.timeout, start + PARTS_TIMEOUT * this.timeout]
    const sending: Sending = { outcomes: new Map(), isAlone, latest, ends, signal }
    batches.want(calls.length)
    await this.inParts(calls, batches.limit, sending)
    const outcomes = calls.map((call) => sending.outcomes.get(call) as CallOutcome)
    if (outcomes.some((outcome) => 'reply' in outcome)) this.probe()
    return outcomes
  }

  /** Sends calls in requests of at most `limit` calls, a few at once. */
  private async inParts(calls: Call[], limit: number, sending: Sending): Promise<void> {
    if (calls.length <= limit) return this.together(calls, sending)
    let next = 0
    const work = async () => {
      while (next < calls.length) {
        const part = calls.slice(next, next + limit)
        next += limit
        await this.together(part, sending)
      }
    }
    await Promise.all(Array.from({ length: CHAIN_LIMITS.chain.parts }, work))
  }

  private async together(calls: Call[], sending: Sending): Promise<void> {
    const [first] = calls as [Call]
    if (calls.length === 1) return void sending.outcomes.set(first, await this.alone(first, sending))
    const { batches, pace } = this.abilities
    let answer: unknown
    const sentAt = await this.turn(calls, sending)
    if (sentAt === undefined) return
    try {
      answer = await this.http.send(calls, sending.signal)
    } catch (error) {
      if (isRateLimitStatus(error)) return this.batchLimited(calls, sentAt, error, retryAfterFrom(error), sending)
      const failure = batchFailure(error)
      if (failure === 'certain' || failure === 'perhaps') return this.split(calls, failure === 'certain', sending)
      if (failure === 'lost') batches.doubt(calls.length)
      return settle(calls, { error }, sending)
    }
    const { error } = replyIn(answer)
    if (Array.isArray(answer) && !error) return this.matched(calls, answer, sentAt, sending)
    // one reply to all of them
    if (error && rateLimitIn(error, '') === 'yes')
      return this.batchLimited(calls, sentAt, new RateLimited(retryAfterIn(error)), retryAfterIn(error), sending)
    pace.succeeded()
    return this.split(calls, true, sending, error?.code)
  }

  /** Assigns replies, which may come in any order, to their calls. Sends calls again that have none, or were limited. */
  private async matched(calls: Call[], answer: unknown[], sentAt: number, sending: Sending): Promise<void> {
    const { batches, pace } = this.abilities
    const byId = new Map(answer.map((reply) => [String((reply as { id?: unknown } | null)?.id), replyIn(reply)]))
    const replies = calls.map((call) => byId.get(String(call.id)))
    const isComplete = replies.every((reply) => reply !== undefined)
    if (isComplete && isRefusedAsOne(replies as Reply[])) return this.split(calls, true, sending)
    const limited: Call[] = []
    const missing: Call[] = []
    let refusal: RateLimited | undefined
    for (const [at, call] of calls.entries()) {
      const reply = replies[at]
      const limit = rateLimitIn(reply?.error, call.method)
      if (reply && limit === 'perhaps') sending.outcomes.set(call, await this.again(call, reply, sending))
      else if (limit === 'yes') {
        limited.push(call)
        refusal ??= new RateLimited(retryAfterIn(reply?.error ?? {}))
      } else if (!reply || (reply.error && !isComplete)) missing.push(call)
      else sending.outcomes.set(call, { reply })
    }
    if (refusal) pace.limited(sentAt, refusal, refusal.retryAfter)
    else pace.succeeded()
    if (missing.length === 0) batches.succeeded(calls.length)
    if (missing.length === calls.length) return this.split(calls, true, sending)
    if (missing.length > 0) {
      const answered = Math.max(1, calls.length - missing.length)
      await this.inParts(missing, Math.min(answered, Math.max(1, missing.length - 1)), sending)
      if (areAnswered(missing, sending)) batches.refused(calls.length, answered, true)
    }
    // one after the other, at the interval of the pace
    for (const call of limited) sending.outcomes.set(call, await this.alone(call, sending))
  }

  /**
   * Sends the calls of a refused batch in smaller parts, one call alone first: if that fails as well, the node is what
   * fails. The batch was refused for its size if all of its calls get through.
   */
  private async split(calls: Call[], isCertain: boolean, sending: Sending, code?: number): Promise<void> {
    // a request for events may be what is refused
    const trial = calls.find(({ method }) => method !== 'eth_getLogs') ?? (calls[0] as Call)
    const outcome = await this.alone(trial, sending)
    if ('error' in outcome) return settle(calls, outcome, sending)
    sending.outcomes.set(trial, outcome)
    const { batches } = this.abilities
    const works = Math.max(1, Math.floor(calls.length / 2))
    const rest = calls.filter((call) => call !== trial)
    // the first part tells whether that many are taken, before others are sent
    await this.together(rest.slice(0, works), sending)
    const left = rest.slice(works)
    if (left.length > 0) await this.inParts(left, Math.min(works, batches.limit), sending)
    // not if it was refused for one of its calls
    const isForOne = calls.some((call) => code !== undefined && errorCodeOf(call, sending) === code)
    if (areAnswered(calls, sending) && !isForOne) batches.refused(calls.length, works, isCertain)
  }

  /**
   * Sends a request for events again whose refusal may be for the rate, or for too many events: then the same reply comes
   * again.
   */
  private async again(call: Call, reply: Reply, sending: Sending): Promise<CallOutcome> {
    if (!sending.isAlone() || performance.now() + DOUBT_PAUSE > sending.latest) return { reply }
    await sleep(DOUBT_PAUSE, undefined, { signal: sending.signal }).catch(() => undefined)
    sending.signal?.throwIfAborted()
    const outcome = await this.alone(call, sending, false)
    if ('reply' in outcome && !outcome.reply.error) this.abilities.pace.limited(performance.now(), new RateLimited())
    return outcome
  }

  /** Sends one call, again after each refusal for the rate while there is time; once more if that may be the reason. */
  private async alone(call: Call, sending: Sending, mayDoubt = true): Promise<CallOutcome> {
    const { pace } = this.abilities
    for (;;) {
      let sentAt = 0
      try {
        this.assertInTime([call], sending)
        await pace.turn(1, sending)
        sentAt = performance.now()
        const reply = replyIn(await this.http.send(call, sending.signal))
        const limit = rateLimitIn(reply.error, call.method)
        if (limit === 'perhaps' && mayDoubt) return this.again(call, reply, sending)
        if (limit !== 'yes') {
          pace.succeeded()
          return { reply }
        }
        const refusal = new RateLimited(retryAfterIn(reply.error ?? {}))
        pace.limited(sentAt, refusal, refusal.retryAfter)
        if (!this.mayWait(sending)) return { error: refusal }
      } catch (error) {
        if (sentAt === 0 || !isRateLimitStatus(error)) return { error }
        pace.limited(sentAt, error, retryAfterFrom(error))
        if (!this.mayWait(sending)) return { error }
      }
    }
  }

  /** A node may refuse a batch for its rate since it takes none, or since each of its calls counts. */
  private async batchLimited(
    calls: Call[],
    sentAt: number,
    error: unknown,
    retryAfter: number | undefined,
    sending: Sending,
  ): Promise<void> {
    const { pace, batches } = this.abilities
    pace.limited(sentAt, error, retryAfter)
    if (this.mayWait(sending)) return this.split(calls, false, sending)
    batches.doubt(calls.length)
    return settle(calls, { error }, sending)
  }

  private mayWait({ isAlone, latest }: Sending): boolean {
    return isAlone() && this.abilities.pace.pauseEnds <= latest
  }

  /** A node that answers slowly, and a call or two at a time, must not be waited for without an end. Throws TimeoutError. */
  private assertInTime(calls: Call[], { ends }: Sending): void {
    if (performance.now() > ends) throw new TimeoutError({ body: calls, url: this.http.url })
  }

  /** Waits for the pace of the node. Returns the time, or undefined if the calls cannot be sent, with that outcome. */
  private async turn(calls: Call[], sending: Sending): Promise<number | undefined> {
    try {
      this.assertInTime(calls, sending)
      await this.abilities.pace.turn(calls.length, sending)
      return performance.now()
    } catch (error) {
      settle(calls, { error }, sending)
      return undefined
    }
  }

  /** Tries in the background whether the node takes larger batches by now, if that is due. */
  private probe(): void {
    const { batches, pace } = this.abilities
    if (pace.wait > 0) return
    const size = batches.startProbe()
    if (size === undefined) return
    const calls = Array.from({ length: size }, () => this.probeCall())
    this.http.send(calls).then(
      (answer) => {
        const ids = new Set(Array.isArray(answer) ? answer.map((one) => ('result' in Object(one) ? one.id : 0)) : [])
        batches.probed(
          size,
          calls.every(({ id }) => ids.has(id)),
        )
      },
      (error) => {
        if (isRateLimitStatus(error)) pace.limited(performance.now(), error, retryAfterFrom(error))
        batches.probed(size, false)
      },
    )
  }

  private probeCall(): Call {
    return { jsonrpc: '2.0', id: ++this.probeId, method: 'eth_chainId' }
  }
}

function settle(calls: Call[], outcome: CallOutcome, { outcomes }: Sending): void {
  for (const call of calls) outcomes.set(call, outcome)
}

function errorCodeOf(call: Call, { outcomes }: Sending): number | undefined {
  const outcome = outcomes.get(call)
  return outcome && 'reply' in outcome ? outcome.reply.error?.code : undefined
}

function areAnswered(calls: Call[], { outcomes }: Sending): boolean {
  return calls.every((call) => 'reply' in (outcomes.get(call) ?? {}))
}

/** Whether each call has the same error, and that is about the batch. */
function isRefusedAsOne(replies: Reply[]): boolean {
  const [first] = replies
  return replies.every(
    ({ error }) =>
      error && isBatchRefusal(error) && error.code === first?.error?.code && error.message === first?.error?.message,
  )
}
