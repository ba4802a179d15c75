import { decrypt, encrypt, providerKey } from '@tidegate/protocol/keys'
import { bytesToHex, hexToBytes, stringToHex } from 'viem'
import { expect, it } from 'vitest'
import { encrypted } from './datatoken-files.js'

const TEXT = '{"nftAddress":"0x00","datatokenAddress":"0x00","files":[]}'
const key = providerKey('11'.repeat(32))
const opened = (files: string) => decrypt([key], Buffer.from(files.slice(2), 'hex')).toString()

it.each([23294, 23295])('a datatoken on chain %i, whose storage is encrypted, may keep plain text', (chainId) => {
  expect(opened(encrypted(stringToHex(TEXT), { chainId, key }))).toBe(TEXT)
})

it('a datatoken keeps ciphertext on every chain, and no plain text where everybody reads it', () => {
  const ciphertext = bytesToHex(encrypt(key.publicKey, Buffer.from(TEXT)))
  for (const chainId of [1, 23294]) expect(encrypted(ciphertext, { chainId, key })).toBe(ciphertext)
  const kept = encrypted(stringToHex(TEXT), { chainId: 1, key })
  expect(() => decrypt([key], Buffer.from(hexToBytes(kept as `0x${string}`)))).toThrow()
})
