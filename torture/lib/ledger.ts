/** What may not be, and when it was seen. */
export interface Finding {
  what: string
  /** The faults of that moment, or of the one before. */
  during: string
  at: string
}

/** How a request ended, for the one who sent it. */
export type Outcome = 'ok' | 'refused' | 'broken'

/** Everything that was seen in a run: requests, nonces that were accepted, and what may not be. */
export class Ledger {
  readonly findings: Finding[] = []
  /** Requests by what was asked and how that ended. */
  readonly requests = new Map<string, Record<Outcome, number>>()
  /** Bytes of files that were compared with what they should be. */
  bytes = 0
  /** Copies of a request, sent at once or later, that were refused as they have to be. */
  copiesRefused = 0
  /** Refusals by status and code. */
  readonly refusals = new Map<string, number>()
  during = 'nothing'
  private readonly accepted = new Set<string>()
  private readonly highest = new Map<string, bigint>()

  constructor(private readonly onFinding: (finding: Finding) => void = () => undefined) {}

  get nonces(): number {
    return this.accepted.size
  }

  find(what: string): void {
    const finding = { what, during: this.during, at: new Date().toISOString() }
    // the same again tells nothing new
    if (this.findings.filter(({ what: known }) => known === what).length >= 3) return
    this.findings.push(finding)
    this.onFinding(finding)
  }

  asked(what: string, outcome: Outcome): void {
    const counts = this.requests.get(what) ?? { ok: 0, refused: 0, broken: 0 }
    counts[outcome] += 1
    this.requests.set(what, counts)
  }

  refused(status: number, code: string): void {
    const key = `${status} ${code}`
    this.refusals.set(key, (this.refusals.get(key) ?? 0) + 1)
  }

  /** Notes a nonce that a request passed with, on a database: none may pass twice, over all instances. */
  acceptedNonce(database: string, address: string, nonce: string): void {
    const key = `${database} ${address} ${nonce}`
    if (this.accepted.has(key)) this.find(`nonce ${nonce} of ${address} was accepted twice on ${database}`)
    this.accepted.add(key)
    const account = `${database} ${address}`
    if (BigInt(nonce) > (this.highest.get(account) ?? 0n)) this.highest.set(account, BigInt(nonce))
  }

  /** The highest nonce that each address passed with on a database. */
  highestOn(database: string): [address: string, nonce: bigint][] {
    return [...this.highest].flatMap(([key, nonce]) => {
      const [name, address] = key.split(' ') as [string, string]
      return name === database ? [[address, nonce]] : []
    })
  }
}
