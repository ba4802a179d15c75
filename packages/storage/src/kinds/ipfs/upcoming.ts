import type { Link } from './blocks.js'

/** The unread links of a file's tree: a stack in the order of the file. */
export class Upcoming {
  private readonly stack: Link[] = []
  /** Number of links by key, built for the first out-of-order block. */
  private index: Map<string, number> | undefined

  get length(): number {
    return this.stack.length
  }

  /** Adds the links of a node before all others. */
  push(links: readonly Link[]): void {
    for (const link of [...links].reverse()) {
      this.stack.push(link)
      this.count(link, 1)
    }
  }

  pop(): Link | undefined {
    const link = this.stack.pop()
    if (link) this.count(link, -1)
    return link
  }

  /** Returns the next links in order, at most `count`. */
  next(count: number): Link[] {
    return this.stack.slice(-count).reverse()
  }

  /** Whether a link has this key. */
  has(key: string): boolean {
    if (!this.index) {
      this.index = new Map()
      for (const link of this.stack) this.count(link, 1)
    }
    return this.index.has(key)
  }

  private count(link: Link, change: number): void {
    const key = this.index ? link.key : undefined
    if (!this.index || key === undefined) return
    const count = (this.index.get(key) ?? 0) + change
    if (count > 0) this.index.set(key, count)
    else this.index.delete(key)
  }
}
