import { assetDocument, type IndexedAsset, type OnChainData, opened } from '@tidegate/protocol'
import type { SourceFilter } from './syntax.js'

type Json = Record<string, unknown>

/** Returns the test of a path, for a pattern with `*` wildcards. It searches each part between two of them once. */
function testOf(pattern: string): (path: string) => boolean {
  const [first = '', ...parts] = pattern.split('*')
  const last = parts.pop()
  if (last === undefined) return (path) => path === pattern
  return (path) => {
    const end = path.length - last.length
    if (!path.startsWith(first) || !path.endsWith(last)) return false
    let at = first.length
    for (const part of parts) {
      const found = path.indexOf(part, at)
      if (found < 0) return false
      at = found + part.length
    }
    return at <= end
  }
}

/** Returns the test of a path, for patterns of it or of what contains it. */
function testOfAny(patterns: string[]): (path: string) => boolean {
  const tests = patterns.flatMap((pattern) => [testOf(pattern), testOf(`${pattern}.*`)])
  return (path) => tests.some((test) => test(path))
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

  private readonly isIncluded
  private readonly isExcluded

  constructor(private readonly filter: SourceFilter) {
    this.isIncluded = testOfAny(filter.includes)
    this.isExcluded = testOfAny(filter.excludes)
  }

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
      wanted = (this.filter.includes.length === 0 || this.isIncluded(path)) && !this.isExcluded(path)
      this.decided.set(path, wanted)
    }
    return wanted
  }
}
