import { type Finding, Ledger } from '../lib/ledger.js'
import { LOCATION } from '../storage.js'
import type { Secrets } from './secrets.js'

/** Checks each line of a log for secrets of buyers and of the purchasing account as well. */
export class PurchaseLedger extends Ledger {
  constructor(
    private readonly secrets: Secrets,
    onFinding: (finding: Finding) => void,
  ) {
    super(onFinding, LOCATION)
  }

  override checkLine(line: string): void {
    super.checkLine(line)
    if (this.secrets.areIn(line)) this.addFinding(`a secret of a purchase is in the log: ${line}`)
  }
}
