import { randomBytes } from 'node:crypto'
import { lstatSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { Command } from '@commander-js/extra-typings'
import { readTextFile } from '@tidegate/common'
import { createFile } from '@tidegate/common/safe-files'
import { print } from '@tidegate/common/terminal'
import { StartError } from '@tidegate/protocol'
import { makeKeystore, type ProviderKey, providerKey } from '@tidegate/protocol/keys'
import { openKeyring, openKeystoreFile } from '../config/keyring.js'
import { ConfigError, loadSettings, singleSetting } from '../config/load.js'
import type { PerChain } from '../config/parsers/chains.js'
import { CONFIG } from './options.js'

export const command = (finish: (code: number) => void) => {
  const keys = new Command('keys').description(
    'Creates, imports and checks encrypted private keys (Web3 Secret Storage version 3).',
  )
  const subcommand = (name: string, description: string, action: (options: KeysOptions) => Promise<number>) =>
    keys
      .command(name)
      .description(description)
      .option('--file <file>', 'the encrypted file')
      .option('--password-file <file>', 'its password (default: KEYSTORE_PASSWORD or KEYSTORE_PASSWORD_FILE)')
      .option(...CONFIG)
      .action(async (options) => finish(await action(options)))
  subcommand('make', 'Writes a new private key to an encrypted file.', makeKey)
  subcommand('import', 'Writes the private key (hex) on standard input to an encrypted file.', importKey)
  subcommand(
    'check',
    'Opens an encrypted file, or without --file every key of the settings, and prints the addresses.',
    checkKeys,
  )
  return keys
}

export interface KeysOptions {
  config?: string
  /** Path of the encrypted key. */
  file?: string
  passwordFile?: string
}

/** Minimum length of a new password, in characters. */
const MIN_PASSWORD = 12

/** `tidegate keys make`: writes a new encrypted key. Never overwrites a file. Returns the exit code. Throws StartError. */
async function makeKey(options: KeysOptions): Promise<number> {
  return write(options, () => providerKey(randomBytes(32).toString('hex')))
}

/** `tidegate keys import`: encrypts the private key (hex) from standard input, like `make`. Throws StartError. */
async function importKey(options: KeysOptions): Promise<number> {
  return write(options, async () => {
    try {
      return providerKey(await text(process.stdin))
    } catch (error) {
      throw new StartError([`The private key on standard input ${(error as Error).message}.`])
    }
  })
}

/** `tidegate keys check`: opens one file, or all keys of the settings, and prints their addresses. Throws StartError. */
async function checkKeys(options: KeysOptions): Promise<number> {
  if (options.file !== undefined) {
    const key = await openKeystoreFile(options.file, password(options)).catch((error: Error) => {
      throw new StartError([`${options.file} ${error.message}.`])
    })
    return done(`${options.file} ${key.address}`)
  }
  const settings = loadSettings(process.env, options.config)
  const problems: string[] = []
  const keyring = await openKeyring(settings, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const perChain = [settings.NETWORK_URL, settings.PROVIDER_PRIVATE_KEY, settings.KEYSTORE] as (
    | PerChain<unknown>
    | undefined
  )[]
  const chains = new Set(perChain.flatMap((values) => [...(values?.byChain.keys() ?? [])]))
  const otherChains = { name: 'other chains', id: 0 }
  for (const { name, id } of [...[...chains].map((id) => ({ name: `chain ${id}`, id })), otherChains]) {
    const current = keyring.current(id)
    if (current)
      print(
        [`${name}: ${current.address}`, ...keyring.previous(id).map(({ address }) => `before ${address}`)].join(', '),
      )
  }
  return 0
}

async function write(options: KeysOptions, obtain: () => ProviderKey | Promise<ProviderKey>): Promise<number> {
  const { file } = options
  if (file === undefined) throw new StartError(['--file: name the file to write.'])
  if (lstatSync(file, { throwIfNoEntry: false }))
    throw new StartError([`--file: ${file} exists and is not written over.`])
  const secret = password(options)
  if (secret.length < MIN_PASSWORD)
    throw new StartError([`The password must have at least ${MIN_PASSWORD} characters.`])
  const key = await obtain()
  const content = await makeKeystore(key, secret)
  try {
    createFile(file, content)
  } catch (error) {
    throw new StartError([`--file: ${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`])
  }
  return done(`${file} ${key.address}`)
}

function password(options: KeysOptions): string {
  const path = options.passwordFile
  if (path === undefined) {
    const configured = singleSetting('KEYSTORE_PASSWORD', process.env, options.config)
    if (configured === undefined) throw new StartError(['--password-file: name the file with the password.'])
    return configured
  }
  try {
    return readTextFile(path).trim()
  } catch (error) {
    throw new StartError([`--password-file: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`])
  }
}

function done(line: string): number {
  print(line)
  return 0
}
