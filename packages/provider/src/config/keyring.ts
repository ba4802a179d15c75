import { readTextFile } from '@tidegate/common'
import type { ProviderKey } from '@tidegate/protocol/keys'
import { openKeystore } from '@tidegate/protocol/keys'
import { forChain, type PerChain } from './parsers/chains.js'
import type { Settings } from './schema.js'

/** The provider keys of the settings, with keystore files decrypted. */
export interface Keyring {
  /** Returns the current key of a chain. */
  current(chainId: number): ProviderKey | undefined
  /** Returns the previous keys of a chain. */
  previous(chainId: number): ProviderKey[]
}

/** Decrypts every keystore file of the settings. Adds a line to `problems` for each failure. */
export async function openKeyring(settings: Settings, problems: string[]): Promise<Keyring> {
  const { PROVIDER_PRIVATE_KEY, UNIVERSAL_PRIVATE_KEY, KEYSTORE, PREVIOUS_KEYSTORES, PREVIOUS_PRIVATE_KEYS } = settings
  const opened = new Map<string, ProviderKey>()
  const open = async (name: string, path: string) => {
    if (opened.has(path)) return
    try {
      opened.set(path, await openKeystoreFile(path, settings.KEYSTORE_PASSWORD))
    } catch (error) {
      problems.push(`${name}: ${path} ${(error as Error).message}.`)
    }
  }
  for (const path of allValues(KEYSTORE)) await open('KEYSTORE', path)
  for (const path of allValues(PREVIOUS_KEYSTORES).flat()) await open('PREVIOUS_KEYSTORES', path)
  for (const [chain, key] of chainsOf(PROVIDER_PRIVATE_KEY)) {
    const path = chain === undefined ? KEYSTORE?.all : forChain(KEYSTORE, chain)
    const other = path === undefined ? undefined : opened.get(path)
    if (other && other.address !== key.address)
      problems.push(
        `PROVIDER_PRIVATE_KEY and KEYSTORE hold different keys${chain === undefined ? '' : ` for chain ${chain}`}: ${key.address} and ${other.address}. Name one of them.`,
      )
  }
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

/** Reads and decrypts a keystore file. Throws an Error whose message follows the path in a sentence. */
export async function openKeystoreFile(path: string, password: string | undefined): Promise<ProviderKey> {
  if (password === undefined) throw new Error('needs a password: set KEYSTORE_PASSWORD_FILE')
  let text: string
  try {
    text = readTextFile(path)
  } catch (error) {
    throw new Error(`cannot be read: ${(error as NodeJS.ErrnoException).code}`)
  }
  return openKeystore(text, password)
}

/** Returns the values with their chains. Undefined stands for all chains. */
function chainsOf<T>(values: PerChain<T> | undefined): [number | undefined, T][] {
  if (!values) return []
  return [...(values.all === undefined ? [] : [[undefined, values.all] as [undefined, T]]), ...values.byChain]
}

function allValues<T>(values: { all?: T; byChain: Map<number, T> } | undefined): T[] {
  if (!values) return []
  return [...(values.all === undefined ? [] : [values.all]), ...values.byChain.values()]
}
