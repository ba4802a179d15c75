import { ERROR_CATALOGUE, type ErrorKind } from '../../packages/protocol/src/error-catalogue.js'
import { FRAMEWORK_ERRORS, STATUS } from '../../packages/provider/src/http/errors.js'
import { type Finding, Ledger } from '../torture/lib/ledger.js'
import { LOCATION } from '../torture/storage.js'
import type { UnderWay } from './under-way.js'

/** The documented status of every code. */
const STATUSES = new Map<string, number>([
  ...Object.entries(ERROR_CATALOGUE).map(([code, { kind }]): [string, number] => [code, STATUS[kind as ErrorKind]]),
  ...Object.values(FRAMEWORK_ERRORS).map(([status, code]): [string, number] => [code, status]),
])

/** The record of a run, which holds every refusal against the contract and the faults under way. */
export class SoakLedger extends Ledger {
  constructor(
    private readonly underWay: UnderWay,
    onFinding: (finding: Finding) => void,
  ) {
    super(onFinding, LOCATION)
  }

  override addFinding(what: string): void {
    this.during = this.underWay.describe()
    super.addFinding(what)
  }

  override countRefusal(status: number, code: string): void {
    super.countRefusal(status, code)
    // invalid parameters are named instead of a code
    const isCode = /^[A-Z_]+$/.test(code)
    const documented = isCode ? STATUSES.get(code) : 400
    if (documented !== status) this.addFinding(`the contract knows no ${status} ${code}`)
    if (status >= 500 && !this.underWay.explains(code)) this.addFinding(`no fault explains ${status} ${code}`)
  }
}
