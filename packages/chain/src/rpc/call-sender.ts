import { setTimeout as sleep } from 'node:timers/promises'
import { TimeoutError } from 'viem'
import { CHAIN_LIMITS } from '../limits.js'
import type { NodeAbilities } from './abilities.js'
import { batchFailure, isRateLimitStatus, retryAfterFrom } from './batch-failures.js'
import { type Call, type JsonRpcHttp, type Reply, replyIn } from './json-rpc-http.js'
import type { Patience } from './pace.js'
import { isBatchRefusal, RateLimited, rateLimitIn, retryAfterIn } from './rate-limits.js'

export type CallOutcome = { reply: Reply } | { error: unknown }

/** Milliseconds before a retry of a request for events whose refusal may be a rate limit. */
const DOUBT_PAUSE = 250

/** Time for all parts of a batch, as a multiple of the time-out of one request. */
const PARTS_TIMEOUT = 3

/** The calls of one caller with their outcomes so far. */
interface Sending extends Patience {
  outcomes: Map<Call, CallOutcome>
  /** Time after which no request is sent, by performance.now(). */
  ends: number
}

/**
 * Sends calls to one node within its batch size and rate, which it learns from the answers. A batch that is refused, or
 * answered in part, is sent again in smaller parts. Rate-limited calls are retried after a pause if no other node is healthy.
 */
export class CallSender {
  private probeId = 0

  /** `timeout`: maximum milliseconds of waiting for the pace of the node. */
  constructor(
    private readonly http: JsonRpcHttp,
    private readonly abilities: NodeAbilities,
    private readonly timeout: number,
  ) {}

  /** Sends calls, in one request if the node takes it. Resolves with their outcomes, in order. */
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

  /** Sends calls in requests of at most `limit` calls, a few concurrently. */
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
    // one reply to the whole batch
    if (error && rateLimitIn(error, '') === 'yes')
      return this.batchLimited(calls, sentAt, new RateLimited(retryAfterIn(error)), retryAfterIn(error), sending)
    pace.succeeded()
    return this.split(calls, true, sending, error?.code)
  }

  /** Assigns replies, which may be in any order, to calls. Retries calls without a reply and rate-limited calls. */
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
    // sequentially, at the interval of the pace
    for (const call of limited) sending.outcomes.set(call, await this.alone(call, sending))
  }

  /**
   * Sends the calls of a refused batch in smaller parts, after one call alone: if that fails too, the node itself fails.
   * If all calls succeed, the batch was refused for its size.
   */
  private async split(calls: Call[], isCertain: boolean, sending: Sending, code?: number): Promise<void> {
    // the node may have refused a request for events, so the trial is another call
    const trial = calls.find(({ method }) => method !== 'eth_getLogs') ?? (calls[0] as Call)
    const outcome = await this.alone(trial, sending)
    if ('error' in outcome) return settle(calls, outcome, sending)
    sending.outcomes.set(trial, outcome)
    const { batches } = this.abilities
    const works = Math.max(1, Math.floor(calls.length / 2))
    const rest = calls.filter((call) => call !== trial)
    // the first part shows whether the node takes this size
    await this.together(rest.slice(0, works), sending)
    const left = rest.slice(works)
    if (left.length > 0) await this.inParts(left, Math.min(works, batches.limit), sending)
    // one call with the same error code may have caused the refusal
    const isForOne = calls.some((call) => code !== undefined && errorCodeOf(call, sending) === code)
    if (areAnswered(calls, sending) && !isForOne) batches.refused(calls.length, works, isCertain)
  }

  /** Retries a request for events whose refusal means either a rate limit or too many events. */
  private async again(call: Call, reply: Reply, sending: Sending): Promise<CallOutcome> {
    if (!sending.isAlone() || performance.now() + DOUBT_PAUSE > sending.latest) return { reply }
    await sleep(DOUBT_PAUSE, undefined, { signal: sending.signal }).catch(() => undefined)
    sending.signal?.throwIfAborted()
    const outcome = await this.alone(call, sending, false)
    if ('reply' in outcome && !outcome.reply.error) this.abilities.pace.limited(performance.now(), new RateLimited())
    return outcome
  }

  /** Sends one call. Retries after rate limits while there is time, and once after a possible one if `mayDoubt`. */
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

  /** Handles a rate limit for a batch. Some nodes send it to refuse batches as such. */
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

  /** Throws TimeoutError after the time for all parts: a node may answer slowly and few calls at a time. */
  private assertInTime(calls: Call[], { ends }: Sending): void {
    if (performance.now() > ends) throw new TimeoutError({ body: calls, url: this.http.url })
  }

  /** Waits for the pace of the node. Returns the time of sending; undefined if the wait failed, which settles the calls. */
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

  /** Sends a probe of a larger batch in the background, if one is due. */
  private probe(): void {
    const { batches, pace } = this.abilities
    if (pace.wait > 0) return
    const size = batches.startProbe()
    if (size === undefined) return
    const calls = Array.from(
      { length: size },
      (): Call => ({ jsonrpc: '2.0', id: ++this.probeId, method: 'eth_chainId' }),
    )
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

/** Whether all replies are the same error about the batch. */
function isRefusedAsOne(replies: Reply[]): boolean {
  const [first] = replies
  return replies.every(
    ({ error }) =>
      error && isBatchRefusal(error) && error.code === first?.error?.code && error.message === first?.error?.message,
  )
}
