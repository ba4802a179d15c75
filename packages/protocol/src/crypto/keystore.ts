import { keccak } from './keccak.js'
import { type ProviderKey, providerKey } from './keys.js'
import { decryptKeystore, encryptKeystore } from './keystore-file.js'

/** Opens a keystore file. Throws KeystoreError, which quotes neither file nor password. */
export async function openKeystore(text: string, password: string): Promise<ProviderKey> {
  const secret = await decryptKeystore(text, password, keccak)
  try {
    return providerKey(secret.toString('hex'))
  } finally {
    secret.fill(0)
  }
}

/** Encrypts a key with a password. Returns the keystore file as JSON text. */
export function makeKeystore(key: ProviderKey, password: string): Promise<string> {
  return encryptKeystore(key, password, keccak)
}
