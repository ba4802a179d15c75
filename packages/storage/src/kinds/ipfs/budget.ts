import { StorageError } from '@tidegate/protocol'
import { STORAGE_LIMITS } from '../../limits.js'

/** Bounds the bytes that one request fetches by the bytes that it delivers, whatever the tree of the file claims. */
export class FetchBudget {
  private left: number = STORAGE_LIMITS.ipfs.overhead

  /** Adds to the bytes that may be fetched. */
  allow(bytes: number): void {
    this.left += bytes
  }

  /** Whether more was fetched than allowed. */
  get isSpent(): boolean {
    return this.left < 0
  }

  /** Takes bytes that are being fetched. Throws StorageError if nothing is left. */
  spend(bytes: number): void {
    this.left -= bytes
    if (this.isSpent) throw new StorageError('STORAGE_REFUSED', 'The file needs too many blocks for its content.')
  }
}
