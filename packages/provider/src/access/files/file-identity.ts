import { createHmac } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { memoized } from '@tidegate/protocol'
import { derivedSecret, type ProviderKey } from '@tidegate/protocol/keys'

/** Domain separation: keeps these secrets apart from every other use of the provider key. */
const PURPOSE = 'tidegate file identity v1'

/** Characters of an identity: 16 bytes in hex. */
const LENGTH = 32

/** Identities that are made in one turn of the event loop: a few milliseconds. */
const AT_ONCE = 500

const secretOf = memoized((key: ProviderKey) => derivedSecret(key, PURPOSE))

/** The identities of some files by one key. */
interface Known {
  one: (string | undefined)[]
  /** The first index of each identity, and the identity of the whole list. Made when a file is not at its index. */
  index?: Map<string, number>
  all?: string
}

/**
 * Identities of the files of a service in one version: a link or an order names its file by them, since an index is another file in the
 * next version. An identity is a keyed hash of the asset and of where and how the file is read, without its public name: it is public, and
 * tells nothing of the location. With another asset it is another, so that nobody tests guesses of a location with an asset of his own.
 * Every instance with the key computes the same.
 */
export class FileIdentities {
  private readonly known = new Map<ProviderKey, Known>()
  private prepared: Promise<void> | undefined

  /** `keys`: those of the chain, the current one first, which makes identities; the others still recognise theirs. */
  constructor(
    private readonly did: string,
    private readonly objects: readonly unknown[],
    private readonly keys: readonly ProviderKey[],
  ) {}

  /** Makes those of a long list in many turns of the event loop; otherwise a request would make them in one. */
  async prepare(): Promise<this> {
    if (this.objects.length <= AT_ONCE) return this
    this.prepared ??= this.prepareAll()
    await this.prepared
    return this
  }

  private async prepareAll(): Promise<void> {
    for (const key of this.keys)
      for (let at = 0; at < this.objects.length; at += 1) {
        this.one(key, at)
        if (at % AT_ONCE === AT_ONCE - 1) await setImmediate()
      }
  }

  /** Returns the identity of the file at an index, or that of all files in their order. */
  of(index: number | undefined): string {
    const [key] = this.keys as [ProviderKey]
    return index === undefined ? this.all(key) : this.one(key, index)
  }

  /** Whether the file at an index, or all files, have an identity. */
  is(identity: string, index: number | undefined): boolean {
    return this.keys.some((key) => (index === undefined ? this.all(key) : this.one(key, index)) === identity)
  }

  /** Returns the index of the file with an identity, first looked for where it was; undefined if it is gone. */
  find(identity: string, was: number): number | undefined {
    if (was < this.objects.length && this.is(identity, was)) return was
    for (const key of this.keys) {
      const found = this.indexes(key).get(identity)
      if (found !== undefined) return found
    }
    return undefined
  }

  private by(key: ProviderKey): Known {
    const known = this.known.get(key) ?? { one: [] }
    this.known.set(key, known)
    return known
  }

  private one(key: ProviderKey, index: number): string {
    const { one } = this.by(key)
    one[index] ??= digest(key, `${this.did} ${identifying(this.objects[index])}`)
    return one[index]
  }

  private all(key: ProviderKey): string {
    const known = this.by(key)
    known.all ??= digest(key, `${this.did} all ${this.objects.map((_, index) => this.one(key, index)).join(' ')}`)
    return known.all
  }

  private indexes(key: ProviderKey): Map<string, number> {
    const known = this.by(key)
    // the first of several copies stays
    known.index ??= new Map(this.objects.map((_, index) => [this.one(key, index), index] as const).reverse())
    return known.index
  }
}

function digest(key: ProviderKey, text: string): string {
  return createHmac('sha256', secretOf(key)).update(text).digest('hex').slice(0, LENGTH)
}

/** Returns the text of a storage object without its name, whatever the order of its fields. */
function identifying(object: unknown): string {
  const { name: _, ...rest } = Object(object) as Record<string, unknown>
  return JSON.stringify(rest, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  )
}
