import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ethers } from 'ethers'
import { beforeAll, describe, expect, it } from 'vitest'
import { newFolder } from '../../../../test/helpers/cleanup.js'
import { type Ended, runCommand } from '../../../../test/helpers/command.js'
import { buildHere, runHere } from '../../../../test/helpers/command-here.js'
import { openKeyring } from '../../src/config/keyring.js'
import { loadSettings } from '../../src/config/load.js'

const KEY = `0x${'11'.repeat(32)}`
const ADDRESS = '0x19E7E376E7C213B7E7e7e46cc70A5dD086DAff2A'
const PASSWORD = 'a long enough pässword'

/** A keystore file of another implementation, with a low derivation cost. */
const foreign = (key: string) => new ethers.Wallet(key).encrypt(PASSWORD, { scrypt: { N: 1024, r: 8, p: 1 } })

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

  it('can be used instead of keys in the environment', async () => {
    writeFileSync(path('one.json'), await foreign(KEY))
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
