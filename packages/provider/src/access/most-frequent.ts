/** Texts that are counted at once. */
const PLACES = 256

/**
 * Finds the most frequent of any number of texts in bounded memory, by the algorithm of Misra and Gries: a text that is more than one in
 * 257 of all is never lost, whatever the others are.
 */
export class MostFrequent {
  private readonly counts = new Map<string, number>()

  add(text: string): void {
    const count = this.counts.get(text)
    if (count !== undefined || this.counts.size < PLACES) this.counts.set(text, (count ?? 0) + 1)
    else
      for (const [other, left] of this.counts)
        if (left === 1) this.counts.delete(other)
        else this.counts.set(other, left - 1)
  }

  /** Number of texts that are counted. */
  get size(): number {
    return this.counts.size
  }

  /** Returns the text with the highest count; undefined if there is none. */
  first(): string | undefined {
    return [...this.counts].sort(([, a], [, b]) => b - a)[0]?.[0]
  }
}
