import { readFileSync } from 'node:fs'
import type { ProviderKey } from '../crypto/keys.js'
import { openKeystore } from '../crypto/keystore.js'
import { forChain } from './parsers.js'
import type { Settings } from './schema.js'

/** The provider keys of the settings, those of encrypted files opened. */
export interface Keyring {
  /** The key in use on a chain. */
  current(chainId: number): ProviderKey | undefined
  /** Those that were in use before. */
  previous(chainId: number): ProviderKey[]
}

/** Opens every encrypted key that the settings name, each once. Adds a line to the problems for each that does not open. */
export async function openKeyring(settings: Settings, problems: string[]): Promise<Keyring> {
  const { PROVIDER_PRIVATE_KEY, UNIVERSAL_PRIVATE_KEY, KEYSTORE, PREVIOUS_KEYSTORES, PREVIOUS_PRIVATE_KEYS } = settings
  const opened = new Map<string, ProviderKey>()
  const open = async (name: string, path: string) => {
    if (opened.has(path)) return
    try {
      opened.set(path, await openFile(path, settings.KEYSTORE_PASSWORD))
    } catch (error) {
      problems.push(`${name}: ${path} ${(error as Error).message}.`)
    }
  }
  for (const path of everywhere(KEYSTORE)) await open('KEYSTORE', path)
  for (const path of everywhere(PREVIOUS_KEYSTORES).flat()) await open('PREVIOUS_KEYSTORES', path)
  const atPath = (path: string | undefined) => (path === undefined ? undefined : opened.get(path))
  return {
    current: (chainId) =>
      forChain(PROVIDER_PRIVATE_KEY, chainId) ?? atPath(forChain(KEYSTORE, chainId)) ?? UNIVERSAL_PRIVATE_KEY,
    previous: (chainId) => [
      ...(forChain(PREVIOUS_PRIVATE_KEYS, chainId) ?? []),
      ...(forChain(PREVIOUS_KEYSTORES, chainId) ?? []).flatMap((path) => atPath(path) ?? []),
    ],
  }
}

/** Reads and opens one encrypted key. Throws an Error that ends a sentence which begins with the path. */
export async function openFile(path: string, password: string | undefined): Promise<ProviderKey> {
  if (password === undefined) throw new Error('needs a password: set KEYSTORE_PASSWORD_FILE')
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  return openKeystore(text, password)
}

function everywhere<T>(values: { all?: T; byChain: Map<number, T> } | undefined): T[] {
  if (!values) return []
  return [...(values.all === undefined ? [] : [values.all]), ...values.byChain.values()]
}
