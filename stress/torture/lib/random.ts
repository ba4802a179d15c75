/** A seeded, reproducible random generator. */
export interface Random {
  /** At least 0, below 1. */
  next(): number
  /** An integer, at least 0, below `end`. */
  below(end: number): number
  one<T>(of: readonly T[]): T
  chance(probability: number): boolean
  shuffled<T>(of: readonly T[]): T[]
}

/** The mulberry32 generator: reproducible, not cryptographic. */
export function seeded(seed: number): Random {
  let state = seed | 0
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number) => Math.floor(next() * end)
  return {
    next,
    below,
    one: <T>(of: readonly T[]) => of[below(of.length)] as T,
    chance: (probability) => next() < probability,
    shuffled: <T>(of: readonly T[]) => {
      const all = [...of]
      for (let at = all.length - 1; at > 0; at--) {
        const other = below(at + 1)
        ;[all[at], all[other]] = [all[other] as T, all[at] as T]
      }
      return all
    },
  }
}
