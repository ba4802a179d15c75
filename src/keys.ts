import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { openFile, openKeyring } from './config/keyring.js'
import { ConfigError, loadSettings, secretSetting } from './config/load.js'
import type { PerChain } from './config/parsers.js'
import { type ProviderKey, providerKey } from './crypto/keys.js'
import { makeKeystore } from './crypto/keystore.js'
import { StartError } from './errors.js'

export interface KeysOptions {
  config?: string
  /** The encrypted key to write, or to look at. */
  file?: string
  'password-file'?: string
}

/** Shortest password that protects a new file. */
const MIN_PASSWORD = 12

/** `tidegate keys make`: writes a new encrypted key. Never over a file that exists. Answers the exit code. */
export async function makeKey(options: KeysOptions): Promise<number> {
  return write(options, () => providerKey(randomBytes(32).toString('hex')))
}

/** `tidegate keys import`: the same with the private key (hex) that stands on standard input. */
export async function importKey(options: KeysOptions): Promise<number> {
  return write(options, async () => {
    try {
      return providerKey(await text(process.stdin))
    } catch (error) {
      throw new StartError([`The private key on standard input ${(error as Error).message}.`])
    }
  })
}

/** `tidegate keys check`: opens one file, or all keys of the settings, and tells their addresses. */
export async function checkKeys(options: KeysOptions): Promise<number> {
  if (options.file !== undefined) {
    const key = await openFile(options.file, password(options)).catch((error: Error) => {
      throw new StartError([`${options.file} ${error.message}.`])
    })
    return tell(`${options.file} ${key.address}`)
  }
  const settings = loadSettings(process.env, options.config)
  const problems: string[] = []
  const keyring = await openKeyring(settings, problems)
  if (problems.length > 0) throw new ConfigError(problems)
  const named = [settings.NETWORK_URL, settings.PROVIDER_PRIVATE_KEY, settings.KEYSTORE] as (
    | PerChain<unknown>
    | undefined
  )[]
  const chains = new Set(named.flatMap((values) => [...(values?.byChain.keys() ?? [])]))
  const everywhere = { name: 'other chains', id: 0 }
  for (const { name, id } of [...[...chains].map((id) => ({ name: `chain ${id}`, id })), everywhere]) {
    const current = keyring.current(id)
    if (current)
      tell(
        [`${name}: ${current.address}`, ...keyring.previous(id).map(({ address }) => `before ${address}`)].join(', '),
      )
  }
  return 0
}

async function write(options: KeysOptions, obtain: () => ProviderKey | Promise<ProviderKey>): Promise<number> {
  const { file } = options
  if (file === undefined) throw new StartError(['--file: name the file to write.'])
  if (existsSync(file)) throw new StartError([`--file: ${file} exists and is not written over.`])
  const secret = password(options)
  if (secret.length < MIN_PASSWORD)
    throw new StartError([`The password must have at least ${MIN_PASSWORD} characters.`])
  const key = await obtain()
  const content = await makeKeystore(key, secret)
  try {
    writeFileSync(file, content, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new StartError([`--file: ${file} cannot be written: ${(error as NodeJS.ErrnoException).code}.`])
  }
  return tell(`${file} ${key.address}`)
}

function password(options: KeysOptions): string {
  const path = options['password-file']
  if (path === undefined) {
    const configured = secretSetting('KEYSTORE_PASSWORD', process.env, options.config)
    if (configured === undefined) throw new StartError(['--password-file: name the file with the password.'])
    return configured
  }
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (error) {
    throw new StartError([`--password-file: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`])
  }
}

function tell(line: string): number {
  process.stdout.write(`${line}\n`)
  return 0
}
