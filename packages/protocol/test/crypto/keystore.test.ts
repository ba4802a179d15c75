import { scryptSync } from 'node:crypto'
import { createRequire } from 'node:module'
import { ethers } from 'ethers'
import { describe, expect, it } from 'vitest'
import { providerKey } from '../../src/crypto/keys.js'
import { makeKeystore, openKeystore } from '../../src/crypto/keystore.js'

const KEY = `0x${'11'.repeat(32)}`
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const PASSWORD = 'a long enough pässword'

/** A keystore file of another implementation, with a low derivation cost. */
const foreign = () => new ethers.Wallet(KEY).encrypt(PASSWORD, { scrypt: { N: 1024, r: 8, p: 1 } })

/** Another implementation, whose derivation in JavaScript would take a hundred times as long as that of OpenSSL. */
function otherWallet() {
  const require = createRequire(import.meta.url)
  const six = createRequire(require.resolve('ocean-lib-8'))('ethers') as typeof ethers & {
    scryptSync: { register(derive: (...args: [Buffer, Buffer, number, number, number, number]) => string): void }
  }
  six.scryptSync.register((password, salt, N, r, p, length) => {
    const options = { N, r, p, maxmem: 2 ** 30 }
    return `0x${scryptSync(password, salt, length, options).toString('hex')}`
  })
  return six.Wallet
}

describe('encrypted keys', () => {
  it('are interchangeable with those of other wallets', async () => {
    const text = await foreign()
    expect(await openKeystore(text, PASSWORD)).toMatchObject({ address: ADDRESS })
    expect(await openKeystore(text.replace('"crypto"', '"Crypto"'), PASSWORD)).toMatchObject({ address: ADDRESS })
    const ours = await makeKeystore(providerKey(KEY), PASSWORD)
    expect(otherWallet().fromEncryptedJsonSync(ours, PASSWORD).privateKey).toBe(KEY)
    expect(await openKeystore(ours, PASSWORD)).toEqual(providerKey(KEY))
    // a shorter part of it may be in random digits as well
    expect(ours).not.toContain('11'.repeat(8))
  })

  it("are read with pbkdf2, as in the specification's test vector", async () => {
    // https://github.com/ethereum/wiki/wiki/Web3-Secret-Storage-Definition, test vectors
    const crypto = {
      cipher: 'aes-128-ctr',
      cipherparams: { iv: '6087dab2f9fdbbfaddc31a909735c1e6' },
      ciphertext: '5318b4d5bcd28de64ee5559e671353e16f075ecae9f99c7a79a38af5f869aa46',
      kdf: 'pbkdf2',
      kdfparams: {
        c: 262144,
        dklen: 32,
        prf: 'hmac-sha256',
        salt: 'ae3cd4e7013836a3df6bd7241b12db061dbe2c6785853cce422d148a624ce0bd',
      },
      mac: '517ead924a9d0dc3124507e3393d175ce3ff7c1e96529c6c555ce9e51205e9b2',
    }
    const key = await openKeystore(JSON.stringify({ crypto, version: 3 }), 'testpassword')
    expect(Buffer.from(key.secret).toString('hex')).toBe(
      '7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d',
    )
  })

  it('are rejected with the reason, and before an absurd derivation cost is paid', async () => {
    const good = JSON.parse(await foreign())
    const changed = (change: (file: typeof good) => void) => {
      const copy = structuredClone(good)
      change(copy)
      return JSON.stringify(copy)
    }
    for (const [text, words] of [
      ['{', 'is not JSON'],
      ['null', 'is not a keystore'],
      [changed((file) => Object.assign(file, { version: 1 })), 'is not a keystore of version 3'],
      [changed(({ crypto }) => Object.assign(crypto, { cipher: 'none' })), 'has another cipher than aes-128-ctr'],
      [
        changed(({ crypto }) => Object.assign(crypto.kdfparams, { n: 1 << 24 })),
        'has key derivation parameters above the accepted cost',
      ],
      [changed(({ crypto }) => Object.assign(crypto.kdfparams, { n: 1000 })), 'has an n that is no power of two'],
      [changed(({ crypto }) => Object.assign(crypto.cipherparams, { iv: 'ab'.repeat(32) })), 'has no valid iv'],
      [changed(({ crypto }) => Object.assign(crypto, { mac: '00'.repeat(32) })), 'cannot be opened with this password'],
    ] as [string, string][])
      await expect(openKeystore(text, PASSWORD), words).rejects.toThrow(words)
    await expect(openKeystore(JSON.stringify(good), 'wrong')).rejects.toThrow('cannot be opened with this password')
  })
})
