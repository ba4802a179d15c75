import { CHAIN_LIMITS } from '@tidegate/chain'
import type { Address } from 'viem'
import type { IndexChange } from './index-store.js'
import { weightOf } from './index-store.js'

/** Changes of one commit, in order, without those that a later change replaces. */
export class ChangeBatch {
  /** Document and state of an NFT have a key of the NFT, every other change a number. */
  private readonly byKey = new Map<string | number, IndexChange>()
  private readonly assets = new Set<Address>()
  private added = 0
  private characters = 0

  add(change: IndexChange): void {
    const key = this.keyOf(change)
    this.remove(key)
    // at the end: a document carries its state, which an earlier state event must not overwrite
    if (change.kind === 'metadata') this.remove(stateOf(change.metadata.nft))
    this.byKey.set(key, change)
    this.characters += costOf(change)
    const asset = assetChangedBy(change)
    if (asset) this.assets.add(asset)
  }

  /**
   * How full the batch is. From 1 on it is committed at the end of the block, and from 2 on inside the block: signed
   * requests wait for a transaction of the embedded database.
   */
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
    this.added += 1
    return this.added
  }
}

const stateOf = (nft: Address) => `state ${nft}`

/** Characters that a change counts for. The document of an asset that a state or a datatoken changes is not known here. */
function costOf(change: IndexChange): number {
  if (change.kind === 'metadata') return weightOf(change)
  return change.kind === 'state' || change.kind === 'datatoken' ? CHAIN_LIMITS.chain.change : 0
}

/** The NFT of an asset whose search rows a change affects, or its datatoken if only that is known. */
function assetChangedBy(change: IndexChange): Address | undefined {
  switch (change.kind) {
    case 'nft':
    case 'datatoken':
    case 'reuse':
      return undefined
    case 'order':
      return change.datatoken
    case 'metadata':
      return change.metadata.nft
    default:
      return change.nft
  }
}
