/** What a request costs in bytes: those that were fetched for it, or those that were given, whichever are more. */
export interface Spending {
  /** Bytes that a storage sent. */
  fetched(bytes: number): void
  /** Bytes of the file that were handed on. */
  given(bytes: number): void
  /** From here on every byte that was fetched counts. */
  settle(): void
}

/**
 * Tells `spend` what a request costs, as it grows. Of what was fetched and not yet given, `ahead` bytes count only when
 * it is settled: they are on their way.
 */
export function spending(spend: (bytes: number) => void, ahead = 0): Spending {
  let [fetched, given, spent, onTheWay] = [0, 0, 0, ahead]
  const count = () => {
    const more = Math.max(fetched - onTheWay, given) - spent
    if (more <= 0) return
    spent += more
    spend(more)
  }
  return {
    fetched(bytes) {
      fetched += bytes
      count()
    },
    given(bytes) {
      given += bytes
      count()
    },
    settle() {
      onTheWay = 0
      count()
    },
  }
}
