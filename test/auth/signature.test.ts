import { ethers } from 'ethers'
import secp256k1 from 'secp256k1'
import type { Address } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { modernMessage, signedMessage } from '../../src/auth/signature.js'
import { signText } from '../helpers/requests.js'

const wallet = new ethers.Wallet(`0x${'33'.repeat(32)}`)
const address = wallet.address as Address

describe('signature', () => {
  it('accepts the owner over one of the messages, and nobody else', async () => {
    const signature = await signText(wallet, 'did:op:1234')
    expect(signedMessage(address, ['other', 'did:op:1234'], signature)).toBeDefined()
    expect(signedMessage(address, ['other'], signature)).toBeUndefined()
    expect(signedMessage(ethers.Wallet.createRandom().address as Address, ['did:op:1234'], signature)).toBeUndefined()
  })

  it('recovers once for each request of a client that stays with one of the forms', async () => {
    const modern = ethers.Wallet.createRandom()
    const owner = modern.address as Address
    const recovered = vi.spyOn(secp256k1, 'ecdsaRecover')
    const cost = async (which: 0 | 1, nonce: number) => {
      const messages = [`did:op:1${nonce}`, modernMessage(owner, `${nonce}`, 'download')]
      const signature = await signText(modern, messages[which] as string)
      recovered.mockClear()
      expect(signedMessage(owner, messages, signature)).toBe(messages[which])
      return recovered.mock.calls.length
    }
    expect([await cost(1, 1), await cost(1, 2), await cost(0, 3), await cost(0, 4), await cost(1, 5)]).toEqual([
      2, 1, 2, 1, 2,
    ])
    const forged = await signText(wallet, 'something')
    recovered.mockClear()
    expect(signedMessage(owner, ['one', 'two'], forged)).toBeUndefined()
    expect(recovered).toHaveBeenCalledTimes(2)
    recovered.mockRestore()
  })

  it('threat 9: keeps the commands of modern messages apart', async () => {
    const signature = await signText(wallet, modernMessage(address, '7', 'download'))
    expect(signedMessage(address, [modernMessage(address, '7', 'download')], signature)).toBeDefined()
    expect(signedMessage(address, [modernMessage(address, '7', 'encrypt')], signature)).toBeUndefined()
  })

  it('accepts the form that clients make of a hash with leading zero bytes', async () => {
    const texts = Array.from({ length: 5000 }, (_, index) => `text ${index}`)
    const text = texts.find((one) => ethers.utils.id(one).startsWith('0x00')) as string
    const stripped = await wallet.signMessage(ethers.utils.stripZeros(ethers.utils.id(text)))
    expect(signedMessage(address, [text], stripped)).toBeDefined()
    expect(signedMessage(address, [text], await signText(wallet, text))).toBeDefined()
  })

  it.each([
    '',
    'null',
    '0x',
    `0x${'00'.repeat(65)}`,
    `0x${'ff'.repeat(65)}`,
    `0x${'1'.repeat(129)}`,
    'zz',
    `0x${'ab'.repeat(66)}`,
  ])('takes %s for no signature', (signature) => {
    expect(signedMessage(address, ['x'], signature)).toBeUndefined()
  })
})
