import { ethers } from 'ethers'
import fc from 'fast-check'
import { hexToBytes } from 'viem'
import { describe, expect, it } from 'vitest'
import { personalDigest, providerKey, recoverAddress, signDigest } from './keys.js'

const key = providerKey(`0x${'11'.repeat(32)}`)
const wallet = new ethers.Wallet(`0x${'11'.repeat(32)}`)
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

describe('provider key', () => {
  it('has the address that wallets derive', () => {
    expect(key.address).toBe(wallet.address)
  })

  it.each([
    ['', 'must be 32 bytes'],
    ['0x12', 'must be 32 bytes'],
    [`0x${'zz'.repeat(32)}`, 'must be 32 bytes'],
    [`0x${'00'.repeat(32)}`, 'is not a valid'],
    [`0x${'ff'.repeat(32)}`, 'is not a valid'],
  ])('rejects %j without quoting it', (text, reason) => {
    expect(() => providerKey(text)).toThrow(reason)
    if (text.length > 4) expect(() => providerKey(text)).not.toThrow(text.slice(2, 20))
  })
})

describe('signatures', () => {
  it('are interchangeable with those of wallets', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (message) => {
        const digest = personalDigest(message)
        expect(recoverAddress(digest, hexToBytes((await wallet.signMessage(message)) as `0x${string}`))).toBe(
          wallet.address,
        )
        expect(ethers.utils.verifyMessage(message, signDigest(digest, key))).toBe(key.address)
      }),
      { numRuns: 25 },
    )
  })

  it('have a v of 0, 1, 27 or 28', async () => {
    const digest = personalDigest(Buffer.from('tide'))
    const signature = hexToBytes((await wallet.signMessage('tide')) as `0x${string}`)
    const v = signature[64] as number
    const accepted = Array.from({ length: 256 }, (_, last) => last).filter((last) => {
      const changed = Uint8Array.from(signature)
      changed[64] = last
      return recoverAddress(digest, changed) === wallet.address
    })
    expect(accepted).toEqual([v - 27, v])
  })

  it('are rejected with another length, a high s, zeros or values out of range (threat 31)', async () => {
    const digest = personalDigest(Buffer.from('tide'))
    const good = hexToBytes((await wallet.signMessage('tide')) as `0x${string}`)
    const s = BigInt(`0x${Buffer.from(good.slice(32, 64)).toString('hex')}`)
    const twin = Uint8Array.from(good)
    twin.set(hexToBytes(`0x${(ORDER - s).toString(16).padStart(64, '0')}`), 32)
    twin[64] = good[64] === 27 ? 28 : 27
    const bad = [
      twin,
      good.slice(0, 64),
      Uint8Array.from([...good, 0]),
      new Uint8Array(65),
      new Uint8Array(65).fill(255),
    ]
    for (const signature of bad) expect(recoverAddress(digest, signature)).not.toBe(wallet.address)
    expect(recoverAddress(digest, twin)).toBeUndefined()
  })
})
