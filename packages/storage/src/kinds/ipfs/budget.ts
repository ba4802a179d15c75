import { StorageError } from '@tidegate/protocol'
import { STORAGE_LIMITS } from '../../limits.js'

/** Limits the fetched bytes of one request by its delivered bytes, whatever the tree of the file claims. */
export class FetchBudget {
  private left: number = STORAGE_LIMITS.ipfs.overhead

  allow(bytes: number): void {
    this.left += bytes
  }

  /** Whether more bytes were fetched than allowed. */
  get isSpent(): boolean {
    return this.left < 0
  }

  /** Charges fetched bytes. Throws StorageError beyond the budget. */
  spend(bytes: number): void {
    this.left -= bytes
    if (this.isSpent) throw new StorageError('STORAGE_REFUSED', 'The file needs too many blocks for its content.')
  }
}
