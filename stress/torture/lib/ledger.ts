import type { Received } from './http.js'

/** A violated invariant, and when it was seen. */
export interface Finding {
  what: string
  /** The faults at that time, or just before. */
  during: string
  at: string
}

/** How a request ended for its sender. */
export type Outcome = 'ok' | 'refused' | 'broken'

/** The record of a run: requests, accepted nonces, and findings. */
export class Ledger {
  readonly findings: Finding[] = []
  /** Requests by kind and outcome. */
  readonly requests = new Map<string, Record<Outcome, number>>()
  /** Responses that were judged. */
  responses = 0
  /** Bytes compared with the files. */
  bytes = 0
  /** Replays of a request, concurrent or later, that were refused as required. */
  copiesRefused = 0
  /** Refusals by status and code. */
  readonly refusals = new Map<string, number>()
  during = 'nothing'
  private readonly accepted = new Set<string>()
  private readonly highest = new Map<string, bigint>()

  constructor(
    private readonly onFinding: (finding: Finding) => void = () => undefined,
    /** A text that no response and no line of a log may contain. */
    private readonly secret?: string,
  ) {}

  /** Checks a line of a service's log. */
  checkLine(line: string): void {
    if (this.secret !== undefined && line.includes(this.secret)) this.addFinding(`a secret is in the log: ${line}`)
  }

  /** Counts a response, and checks its headers, and its body if it is not a file. */
  checkResponse(what: string, { status, headers, body }: Received, isFile: boolean): void {
    this.responses += 1
    const text = JSON.stringify(headers) + (isFile ? '' : body.toString('latin1'))
    if (this.secret !== undefined && text.includes(this.secret))
      this.addFinding(`a secret is in a response to ${what}, ${status}: ${text.slice(0, 300)}`)
  }

  get nonces(): number {
    return this.accepted.size
  }

  addFinding(what: string): void {
    const finding = { what, during: this.during, at: new Date().toISOString() }
    // repetitions add nothing
    if (this.findings.filter(({ what: known }) => known === what).length >= 3) return
    this.findings.push(finding)
    this.onFinding(finding)
  }

  countRequest(what: string, outcome: Outcome): void {
    const counts = this.requests.get(what) ?? { ok: 0, refused: 0, broken: 0 }
    counts[outcome] += 1
    this.requests.set(what, counts)
  }

  countRefusal(status: number, code: string): void {
    const key = `${status} ${code}`
    this.refusals.set(key, (this.refusals.get(key) ?? 0) + 1)
  }

  /** Records an accepted nonce: none may be accepted twice on a database, over all instances. */
  recordNonce(database: string, address: string, nonce: string): void {
    const key = `${database} ${address} ${nonce}`
    if (this.accepted.has(key)) this.addFinding(`nonce ${nonce} of ${address} was accepted twice on ${database}`)
    this.accepted.add(key)
    const account = `${database} ${address}`
    if (BigInt(nonce) > (this.highest.get(account) ?? 0n)) this.highest.set(account, BigInt(nonce))
  }

  /** Returns the highest accepted nonce of each address on a database. */
  highestOn(database: string): [address: string, nonce: bigint][] {
    return [...this.highest].flatMap(([key, nonce]) => {
      const [name, address] = key.split(' ') as [string, string]
      return name === database ? [[address, nonce]] : []
    })
  }
}
