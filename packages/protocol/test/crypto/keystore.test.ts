import { scryptSync } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type Ended, runCommand } from '../../../../test/helpers/command.js'
import { buildHere, runHere } from '../../../../test/helpers/command-here.js'
import { openKeyring } from '../../../provider/src/config/keyring.js'
import { loadSettings } from '../../../provider/src/config/load.js'
import { providerKey } from '../../src/crypto/keys.js'
import { makeKeystore, openKeystore } from '../../src/crypto/keystore.js'

const KEY = `0x${'11'.repeat(32)}`
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const PASSWORD = 'a long enough pässword'

/** A keystore file of another implementation, with a low derivation cost. */
const foreign = (key = KEY) => new ethers.Wallet(key).encrypt(PASSWORD, { scrypt: { N: 1024, r: 8, p: 1 } })

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

describe('keys of an operator', () => {
  const folder = newFolder()
  const path = (name: string) => join(folder, name)
  const keys = (args: readonly string[], environment: Record<string, string> = {}): Promise<Ended> =>
    runHere(['keys', ...args], environment)
  /** In a process, which has a standard input of its own. */
  const imports = (args: readonly string[], input: string): Promise<Ended> =>
    runCommand(['keys', 'import', ...args], {}, input)
  beforeAll(() => {
    writeFileSync(path('password'), `${PASSWORD}\n`)
    writeFileSync(path('short'), 'short\n')
  })

  it('are created, imported and verified, and never overwritten', async () => {
    const given = ['--file', path('made.json'), '--password-file', path('password')]
    const made = await keys(['make', ...given])
    expect(made).toMatchObject({ status: 0, stderr: '' })
    const address = made.stdout.trim().split(' ')[1] as string
    expect(ethers.utils.isAddress(address)).toBe(true)
    expect(statSync(path('made.json')).mode & 0o777).toBe(0o600)
    const content = readFileSync(path('made.json'))
    expect(await keys(['make', ...given])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('is not written over'),
    })
    expect(readFileSync(path('made.json'))).toEqual(content)
    expect(await keys(['check', ...given])).toMatchObject({ status: 0, stdout: `${path('made.json')} ${address}\n` })

    const imported = ['--file', path('imported.json'), '--password-file', path('password')]
    expect(await imports(imported, 'not a key\n')).toMatchObject({
      status: 2,
      stderr: 'tidegate: The private key on standard input must be 32 bytes of hex (64 digits, with or without 0x).\n',
    })
    expect(await imports(imported, `${KEY}\n`)).toMatchObject({
      status: 0,
      stdout: `${path('imported.json')} ${ADDRESS}\n`,
    })
    for (const [args, words] of [
      [['make', '--file', path('x.json')], 'name the file with the password'],
      [['make', '--file', path('x.json'), '--password-file', path('short')], 'at least 12 characters'],
      [['make', '--password-file', path('password')], '--file: name the file'],
      [['check', '--file', path('password'), '--password-file', path('password')], 'is not JSON'],
      [['lose'], "unknown command 'lose'"],
    ] as const)
      expect(await keys(args)).toMatchObject({ status: 2, stderr: expect.stringContaining(words) })
  })

  it('can be used in place of keys in the environment', async () => {
    writeFileSync(path('one.json'), await foreign())
    writeFileSync(path('old.json'), await foreign(`0x${'22'.repeat(32)}`))
    const environment = {
      NETWORK_URL: '{"1":"http://127.0.0.1:1","137":"http://127.0.0.1:2"}',
      KEYSTORE: JSON.stringify({ 1: path('one.json') }),
      PREVIOUS_KEYSTORES: path('old.json'),
      KEYSTORE_PASSWORD_FILE: path('password'),
      UNIVERSAL_PRIVATE_KEY: `0x${'33'.repeat(32)}`,
    }
    const problems: string[] = []
    const keyring = await openKeyring(loadSettings(environment), problems)
    expect(problems).toEqual([])
    expect(keyring.current(1)?.address).toBe(ADDRESS)
    expect(keyring.previous(1).map(({ address }) => address)).toEqual(['0x1563915e194D8CfBA1943570603F7606A3115508'])
    expect(keyring.current(137)?.address).toBe('0x5CbDd86a2FA8Dc4bDdd8a8f69dBa48572EeC07FB')
    const { stdout } = await keys(['check'], environment)
    expect(stdout.split('\n')).toEqual([
      `chain 1: ${ADDRESS}, before 0x1563915e194D8CfBA1943570603F7606A3115508`,
      'chain 137: 0x5CbDd86a2FA8Dc4bDdd8a8f69dBa48572EeC07FB, before 0x1563915e194D8CfBA1943570603F7606A3115508',
      'other chains: 0x5CbDd86a2FA8Dc4bDdd8a8f69dBa48572EeC07FB, before 0x1563915e194D8CfBA1943570603F7606A3115508',
      '',
    ])
    const broken = { ...environment, KEYSTORE_PASSWORD_FILE: path('short') }
    for (const refused of [buildHere(broken), keys(['check'], broken)])
      expect(await refused).toMatchObject({
        status: 2,
        stderr: `tidegate: KEYSTORE: ${path('one.json')} cannot be opened with this password.\ntidegate: PREVIOUS_KEYSTORES: ${path('old.json')} cannot be opened with this password.\n`,
      })
    expect((await runHere(['config'], environment)).stdout).not.toContain(PASSWORD)
  })
})
