/** Meters the cost of a request in bytes: those fetched from storages or those delivered, whichever is greater. */
export interface CostMeter {
  /** Counts bytes received from a storage. */
  fetched(bytes: number): void
  /** Counts bytes of the file delivered to the client. */
  delivered(bytes: number): void
  /** Charges every fetched byte, including those still buffered. */
  settle(): void
}

/**
 * Creates a meter that calls `spend` with each increase of the cost. Up to `ahead` bytes that were fetched but not yet
 * delivered are not charged until `settle`: they are still buffered.
 */
export function costMeter(spend: (bytes: number) => void, ahead = 0): CostMeter {
  let [fetchedBytes, deliveredBytes, charged, buffered] = [0, 0, 0, ahead]
  const count = () => {
    const increase = Math.max(fetchedBytes - buffered, deliveredBytes) - charged
    if (increase <= 0) return
    charged += increase
    spend(increase)
  }
  return {
    fetched(bytes) {
      fetchedBytes += bytes
      count()
    },
    delivered(bytes) {
      deliveredBytes += bytes
      count()
    },
    settle() {
      buffered = 0
      count()
    },
  }
}
