import type { Fault } from '../torture/faults/fault.js'
import type { Machine } from './machine.js'

/** The time for which a fault may explain failures: from its injection until the service has recovered. */
interface Spell {
  fault: Fault
  begun: number
  ended: number
}

type Kind = Fault['kind']

/** What requests depend on, by the beginning of their name; the first match counts. */
const NEEDS: [name: RegExp, kinds: readonly Kind[]][] = [
  [/download link/, ['node', 'chain', 'database', 'instance']],
  [/download|range|fileinfo|link/, ['node', 'chain', 'storage', 'database', 'instance']],
  [/initialize|search|document/, ['node', 'chain', 'database', 'instance']],
  [/encrypt/, ['node', 'chain', 'instance']],
  [/./, ['database', 'instance']],
]

/** Kinds of faults that spare every request if they spare downloads. */
const SPARING: ReadonlySet<Kind> = new Set(['instance', 'consumer'])

/** Codes of errors of the server, 5xx, that each kind of fault explains. CANNOT_DELIVER: a quote for what would not be delivered. */
const EXPLAINED: Record<Kind, RegExp> = {
  node: /^(CHAIN|CREDENTIALS)_|^(SEARCH_UNAVAILABLE|CANNOT_DELIVER|STOPPING)$/,
  chain: /^CHAIN_|^CANNOT_DELIVER$/,
  storage: /^STORAGE_/,
  // an index that cannot be written is out of date after a while
  database: /^(STATE|SEARCH|CHAIN)_UNAVAILABLE$|^(CHAIN_NOT_READY|CANNOT_DELIVER|BUSY)$/,
  consumer: /^(BUSY|STORAGE_BUSY)$/,
  instance: /^(STOPPING|STATE_UNAVAILABLE|CHAIN_NOT_READY)$/,
}

/** Codes of what does not answer in time. */
const UNAVAILABLE = /_(UNAVAILABLE|TIMEOUT|NOT_READY)$|BUSY$/

/** Milliseconds after which no request is in flight. */
const LONGEST_REQUEST = 60_000

/** The faults under way, and those that were a moment ago: what a request met with. */
export class UnderWay {
  private spells: Spell[] = []

  constructor(private readonly machine: Pick<Machine, 'crowdedSince'>) {}

  begin(fault: Fault): Spell {
    const spell = { fault, begun: Date.now(), ended: Number.POSITIVE_INFINITY }
    this.spells = this.spells.filter(({ ended }) => ended > Date.now() - LONGEST_REQUEST)
    this.spells.push(spell)
    return spell
  }

  /** Call it when the service has recovered from the fault. */
  end(spell: Spell): void {
    spell.ended = Date.now()
  }

  /** The faults under way at some time since `at`. */
  since(at: number): Fault[] {
    return this.spells.filter(({ ended }) => ended >= at).map(({ fault }) => fault)
  }

  get now(): Fault[] {
    return this.since(Number.POSITIVE_INFINITY)
  }

  /** The faults under way; without one, the last ones that were. */
  describe(): string {
    const now = Date.now()
    const shown = this.spells.flatMap(({ fault: { name }, ended }) =>
      ended > now ? [name] : [`${((now - ended) / 1000).toFixed(1)} s after ${name}`],
    )
    const active = this.now.map(({ name }) => name)
    return (active.length > 0 ? active : shown).join(' and ') || 'no fault'
  }

  /** Whether a request that began at `begun` had to pass: no fault was under way that it depends on, and no crowd. */
  hadToPass(what: string, begun: number): boolean {
    if (this.machine.crowdedSince(begun)) return false
    const [, needs = []] = NEEDS.find(([name]) => name.test(what)) ?? []
    return !this.since(begun).some(({ kind, spares }) => needs.includes(kind) && !spared(what, kind, spares))
  }

  /** Whether a fault or a crowd explains an error of the server to a request that has just ended. */
  explains(code: string): boolean {
    const begun = Date.now() - LONGEST_REQUEST
    if (UNAVAILABLE.test(code) && this.machine.crowdedSince(begun)) return true
    return this.since(begun).some(({ kind }) => EXPLAINED[kind].test(code))
  }
}

function spared(what: string, kind: Kind, spares = false): boolean {
  return spares && (SPARING.has(kind) || /download|range/.test(what))
}
