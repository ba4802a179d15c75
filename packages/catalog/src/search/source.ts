import { assetDocument, type IndexedAsset, type OnChainData, opened } from '@tidegate/protocol'
import type { SourceFilter } from './syntax.js'

type Json = Record<string, unknown>

/** Whether a text matches a pattern with `*` wildcards. Takes at most the product of their lengths. */
function fits(pattern: string, text: string): boolean {
  let [at, star, resume] = [0, -1, 0]
  for (let place = 0; place < text.length; ) {
    if (pattern[at] === '*') {
      star = at++
      resume = place
    } else if (at < pattern.length && pattern[at] === text[place]) {
      at += 1
      place += 1
    } else if (star >= 0) {
      at = star + 1
      place = ++resume
    } else return false
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}

/** A document, the requested parts of it, and their maximum characters (`most`). */
export interface ServedParts {
  asset: IndexedAsset
  source: SourceFilter
  onChain: OnChainData
  purgatory: string | undefined
  most: number
}

/** Returns the requested parts as JSON; undefined if they are too long. */
export function servedWithin({ asset, source, onChain, purgatory, most }: ServedParts): string | undefined {
  const one = opened(asset)
  const text = one && JSON.stringify(new SourcePicker(source).pick(assetDocument(one, onChain, purgatory)))
  return text !== undefined && text.length <= most ? text : undefined
}

/** Applies a source filter. Caches decisions by path, since most documents share their paths. */
export class SourcePicker {
  private readonly decided = new Map<string, boolean>()

  constructor(private readonly filter: SourceFilter) {}

  /** Returns the parts that `includes` matches (or all) and `excludes` does not. */
  pick(document: Json): Json {
    const { includes, excludes } = this.filter
    if (includes.length + excludes.length === 0) return document
    return (this.part(document, '') ?? {}) as Json
  }

  private part(value: unknown, path: string): unknown {
    if (Array.isArray(value)) {
      const kept = value.map((one) => this.part(one, path)).filter((one) => one !== undefined)
      return kept.length > 0 || (value.length === 0 && this.isWanted(path)) ? kept : undefined
    }
    if (typeof value !== 'object' || value === null) return this.isWanted(path) ? value : undefined
    const kept = Object.entries(value).flatMap(([key, one]) => {
      const part = this.part(one, path ? `${path}.${key}` : key)
      return part === undefined ? [] : [[key, part] as const]
    })
    return kept.length > 0 || (Object.keys(value).length === 0 && this.isWanted(path))
      ? Object.fromEntries(kept)
      : undefined
  }

  private isWanted(path: string): boolean {
    let wanted = this.decided.get(path)
    if (wanted === undefined) {
      const isOf = (pattern: string) => fits(pattern, path) || fits(`${pattern}.*`, path)
      const { includes, excludes } = this.filter
      wanted = (includes.length === 0 || includes.some(isOf)) && !excludes.some(isOf)
      this.decided.set(path, wanted)
    }
    return wanted
  }
}
