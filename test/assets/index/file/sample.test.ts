import { describe, expect, it } from 'vitest'
import type { Part } from '../../../../src/assets/index/file/compare.js'
import { positionsOf, Sample } from '../../../../src/assets/index/file/sample.js'
import type { IndexRow } from '../../../../src/state/store.js'

const address = (at: number) => `0x${String(at).padStart(40, '0')}` as const
const nft = (at: number) => ({ kind: 'nft', nft: { address: address(at) } }) as IndexRow
const datatoken = (of: number, at: number) =>
  ({ kind: 'datatoken', datatoken: { nft: address(of), address: address(at) } }) as IndexRow
const asset = (of: number, reason: string | null = null) =>
  ({ kind: 'asset', metadata: { nft: address(of), reason } }) as IndexRow

function partsOf(rows: IndexRow[], positions: ReturnType<typeof positionsOf> = 'all'): Part[] {
  const sample = new Sample(positions)
  return [...rows.map((row) => sample.add({ row, size: 1 })), sample.end()].filter((part) => part !== undefined)
}

describe('the sample of a file of the index', () => {
  it('has as many positions as asked for, the same ones for a seed, and others for another', () => {
    const first = positionsOf(1000, 48, 7) as Set<number>
    expect(first.size).toBe(48)
    expect([...first].every((position) => position >= 0 && position < 1000)).toBe(true)
    expect(positionsOf(1000, 48, 7)).toEqual(first)
    expect(positionsOf(1000, 48, 8)).not.toEqual(first)
    expect([positionsOf(48, 48, 1), positionsOf(0, 1, 1), positionsOf(5, 0, 1)]).toEqual(['all', 'all', new Set()])
  })

  it('finds every position over some hundred seeds', () => {
    const found = new Set(
      Array.from({ length: 400 }, (_, seed) => [...(positionsOf(20, 2, seed) as Set<number>)]).flat(),
    )
    expect(found.size).toBe(20)
  })

  it('takes an NFT with all that belongs to it, and nothing of the others', () => {
    const rows = [nft(1), datatoken(1, 11), asset(1), nft(2), nft(3), datatoken(3, 31), datatoken(3, 32), asset(3)]
    const parts = partsOf(rows, new Set([0, 1]))
    expect(parts.map((part) => [part.nft.address, part.datatokens.length, part.rest?.asset?.nft])).toEqual([
      [address(1), 1, address(1)],
      [address(2), 0, undefined],
    ])
    // that there is no asset is compared as well
    expect(parts[1]?.rest).toEqual({})
  })

  it('divides an NFT with many datatokens, of which the last part has the asset', () => {
    const many = Array.from({ length: 250 }, (_, at) => datatoken(1, 100 + at))
    const parts = partsOf([nft(1), ...many, asset(1), nft(2)])
    expect(parts.map((part) => [part.datatokens.length, part.rest?.asset?.nft])).toEqual([
      [100, undefined],
      [100, undefined],
      [50, address(1)],
      [0, undefined],
    ])
    expect(parts.slice(0, 2).map(({ rest }) => rest)).toEqual([undefined, undefined])
  })

  it('compares no asset whose events cannot be read again', () => {
    expect(partsOf([nft(1), asset(1, 'cannot be stored')])[0]?.rest).toBeUndefined()
  })
})
