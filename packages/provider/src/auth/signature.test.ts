import { ethers } from 'ethers'
import secp256k1 from 'secp256k1'
import type { Address } from 'viem'
import { describe, expect, it, vi } from 'vitest'
import { signText } from '../../../../test/helpers/requests.js'
import { newWallet } from '../../../../test/helpers/wallet.js'
import { SignerRecovery } from './recovery.js'
import { modernMessage, SignatureMatcher } from './signature.js'

const wallet = new ethers.Wallet(`0x${'33'.repeat(32)}`)
const address = wallet.address as Address

const matcher = new SignatureMatcher(new SignerRecovery({ thread: false, isSingle: () => false }))

describe('signature', () => {
  it('is accepted from the owner over each of the messages, and from nobody else', async () => {
    const signature = await signText(wallet, 'did:op:1234')
    expect(await matcher.match(address, ['other', 'did:op:1234'], signature)).toBeDefined()
    expect(await matcher.match(address, ['other'], signature)).toBeUndefined()
    expect(await matcher.match(newWallet().address as Address, ['did:op:1234'], signature)).toBeUndefined()
  })

  it('needs one recovery per request when a client keeps to one form', async () => {
    // always the same: a hash that begins with a zero byte is recovered twice
    const modern = new ethers.Wallet(`0x${'44'.repeat(32)}`)
    const owner = modern.address as Address
    const recovered = vi.spyOn(secp256k1, 'ecdsaRecover')
    const cost = async (which: 0 | 1, nonce: number) => {
      const messages = [`did:op:1${nonce}`, modernMessage(owner, `${nonce}`, 'download')]
      const signature = await signText(modern, messages[which] as string)
      recovered.mockClear()
      expect(await matcher.match(owner, messages, signature)).toBe(messages[which])
      return recovered.mock.calls.length
    }
    expect([await cost(1, 1), await cost(1, 2), await cost(0, 3), await cost(0, 4), await cost(1, 5)]).toEqual([
      2, 1, 2, 1, 2,
    ])
    const forged = await signText(wallet, 'something')
    recovered.mockClear()
    expect(await matcher.match(owner, ['one', 'two'], forged)).toBeUndefined()
    expect(recovered).toHaveBeenCalledTimes(2)
    recovered.mockRestore()
  })

  it('is bound to the command in modern messages (threat 9)', async () => {
    const signature = await signText(wallet, modernMessage(address, '7', 'download'))
    expect(await matcher.match(address, [modernMessage(address, '7', 'download')], signature)).toBeDefined()
    expect(await matcher.match(address, [modernMessage(address, '7', 'encrypt')], signature)).toBeUndefined()
  })

  it('accepts the message of clients that drop leading zero bytes of a hash', async () => {
    const texts = Array.from({ length: 5000 }, (_, index) => `text ${index}`)
    const text = texts.find((one) => ethers.utils.id(one).startsWith('0x00')) as string
    const stripped = await wallet.signMessage(ethers.utils.stripZeros(ethers.utils.id(text)))
    expect(await matcher.match(address, [text], stripped)).toBeDefined()
    expect(await matcher.match(address, [text], await signText(wallet, text))).toBeDefined()
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
  ])('rejects %s as malformed', async (signature) => {
    expect(await matcher.match(address, ['x'], signature)).toBeUndefined()
  })
})
