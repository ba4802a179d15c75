import { openKeystore } from '@tidegate/client/node'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'

const KEY = `0x${'11'.repeat(32)}`
const PASSWORD = 'correct horse battery'

let text: string
beforeAll(async () => {
  // ethers spells the key of the outer object with a capital letter
  text = await new ethers.Wallet(KEY).encrypt(PASSWORD, { scrypt: { N: 1024 } })
})

describe('a keystore', () => {
  it('of another wallet opens with its password', async () => {
    expect((await openKeystore(text, PASSWORD)).address).toBe(new ethers.Wallet(KEY).address)
    const { Crypto, crypto = Crypto, ...rest } = JSON.parse(text)
    expect((await openKeystore(JSON.stringify({ ...rest, crypto }), PASSWORD)).address).toBe(
      new ethers.Wallet(KEY).address,
    )
    expect((await openKeystore(JSON.stringify({ ...rest, Crypto: crypto }), PASSWORD)).address).toBe(
      new ethers.Wallet(KEY).address,
    )
  })

  it('with pbkdf2 opens, as in the example of the specification', async () => {
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
    const secret = '0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d'
    const account = await openKeystore(JSON.stringify({ crypto, version: 3 }), 'testpassword')
    expect(account.address).toBe(new ethers.Wallet(secret).address)
  })

  it('is refused with a reason that quotes nothing', async () => {
    const good = JSON.parse(text)
    const changed = (change: (crypto: Record<string, unknown>) => void) => {
      const copy = structuredClone(good)
      change((copy.crypto ?? copy.Crypto) as Record<string, unknown>)
      return JSON.stringify(copy)
    }
    const set = (path: string, value: unknown) =>
      changed((crypto) => {
        const [outer, inner] = path.split('.') as [string, string?]
        if (inner === undefined) Object.assign(crypto, { [outer]: value })
        else Object.assign(crypto[outer] as object, { [inner]: value })
      })
    for (const [file, words] of [
      ['{', 'not JSON'],
      ['null', 'not a keystore'],
      ['{}', 'version 3'],
      ['x'.repeat(70_000), 'too long'],
      [set('cipher', 'aes-256-cbc'), 'cipher'],
      [set('kdf', 'md5'), 'kdf'],
      [set('mac', 'zz'), 'mac'],
      [set('mac', '00'), 'mac'],
      [set('cipherparams.iv', '00'), 'iv'],
      [set('kdfparams.dklen', 16), 'dklen'],
      [set('kdfparams.n', 3), 'power of two'],
      [set('kdfparams.n', 2 ** 30), 'above the accepted cost'],
      [set('kdfparams.p', 2 ** 40), 'above the accepted cost'],
      [set('kdfparams.salt', 7), 'salt'],
    ] as const) {
      const refused = await openKeystore(file, PASSWORD).catch((error) => error)
      expect(refused, words).toMatchObject({ code: 'BAD_KEYSTORE', message: expect.stringContaining(words) })
    }
    await expect(openKeystore(text, 'another')).rejects.toMatchObject({ code: 'WRONG_PASSWORD' })
  })
})
