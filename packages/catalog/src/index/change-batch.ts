import { CHAIN_LIMITS } from '@tidegate/chain'
import type { Address } from 'viem'
import type { IndexChange } from './index-store.js'
import { weightOf } from './index-store.js'

/** The changes of one commit, in order, without replaced ones. */
export class ChangeBatch {
  /** Changes by key: document and state have one key per NFT, a market has one, every other change has a number. */
  private readonly byKey = new Map<string | number, IndexChange>()
  private readonly assets = new Set<string>()
  private added = 0
  private characters = 0

  add(change: IndexChange): void {
    const key = this.keyOf(change)
    // the first event that names a market counts
    if (change.kind === 'market' && this.byKey.has(key)) return
    this.remove(key)
    // a document includes its state, so it replaces earlier state changes
    if (change.kind === 'metadata') this.remove(stateOf(change.metadata.nft))
    this.byKey.set(key, change)
    this.characters += costOf(change)
    const asset = assetChangedBy(change)
    if (asset) this.assets.add(asset)
  }

  /** Size relative to the limits. From 1 on the batch is committed at the end of the block, from 2 on inside it. */
  get fullness(): number {
    const { changes, assets, documents } = CHAIN_LIMITS.chain
    return Math.max(this.byKey.size / changes, this.assets.size / assets, this.characters / documents)
  }

  all(): IndexChange[] {
    return [...this.byKey.values()]
  }

  private remove(key: string | number): void {
    const replaced = this.byKey.get(key)
    if (!replaced) return
    this.byKey.delete(key)
    this.characters -= costOf(replaced)
  }

  private keyOf(change: IndexChange): string | number {
    if (change.kind === 'metadata') return `document ${change.metadata.nft}`
    if (change.kind === 'state') return stateOf(change.nft)
    // nearly all datatokens name the same market
    if (change.kind === 'market') return `market ${change.market}`
    this.added += 1
    return this.added
  }
}

const stateOf = (nft: Address) => `state ${nft}`

/** Returns the characters that a change counts for; an estimate if its document is not in the change. */
function costOf(change: IndexChange): number {
  if (change.kind === 'metadata') return weightOf(change)
  return change.kind === 'state' || change.kind === 'datatoken' ? CHAIN_LIMITS.chain.change : 0
}

/** Returns the NFT whose document needs new search rows. Orders and offers only update numbers in them. */
function assetChangedBy(change: IndexChange): string | undefined {
  if (change.kind === 'metadata') return change.metadata.nft
  return change.kind === 'state' || change.kind === 'unreadable' ? change.nft : undefined
}
