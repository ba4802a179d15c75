/** Meters the cost of a request in bytes: the greater of fetched and delivered ones. */
export interface CostMeter {
  /** Counts bytes received from a storage. */
  fetched(bytes: number): void
  /** Counts bytes of the file delivered to the client. */
  delivered(bytes: number): void
  /** Charges all fetched bytes, including buffered ones. */
  settle(): void
}

/** Creates a meter that calls `spend` with each increase. Up to `ahead` buffered bytes are charged only by `settle`. */
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
