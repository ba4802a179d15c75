import { ethers } from 'ethers'
import type { Address } from 'viem'
import { describe, expect, it } from 'vitest'
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
