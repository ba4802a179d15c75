import { zipSync } from 'fflate'
import { expect, it } from 'vitest'
import { ArchiveEnd } from './archive-end.js'

it('tells a complete archive from one that lacks its last byte, in pieces of any size', () => {
  const zip = zipSync({ 'a/x.csv': new Uint8Array(100) })
  for (const size of [1, 7, 21, 22, 23, zip.length])
    for (const length of [zip.length, zip.length - 1]) {
      const end = new ArchiveEnd()
      for (let at = 0; at < length; at += size) end.add(zip.subarray(at, Math.min(at + size, length)))
      expect(end.isComplete).toBe(length === zip.length)
    }
})
