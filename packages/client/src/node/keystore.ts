import { decryptKeystore, KeystoreError } from '@tidegate/protocol/keystore'
import { bytesToHex, keccak256, type PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { TidegateError } from '../errors.js'

/**
 * Opens a keystore file (Web3 Secret Storage version 3, the format of geth, ethers and most wallets) and returns its account.
 * Throws TidegateError `BAD_KEYSTORE` or `WRONG_PASSWORD`, which quote nothing.
 *
 * @example
 * const account = await openKeystore(await readFile('key.json', 'utf8'), password)
 * const wallet = createWalletClient({ account, transport: http(rpcUrl) })
 */
export async function openKeystore(json: string, password: string): Promise<PrivateKeyAccount> {
  const secret = await decryptKeystore(json, password, (bytes) => keccak256(bytes, 'bytes')).catch(refused)
  try {
    return privateKeyToAccount(bytesToHex(secret))
  } catch {
    throw new TidegateError('BAD_KEYSTORE', 'The keystore holds no key of an account.')
  } finally {
    secret.fill(0)
  }
}

function refused(error: unknown): never {
  if (!(error instanceof KeystoreError)) throw error
  const { code, message } = error
  throw new TidegateError(
    code,
    code === 'WRONG_PASSWORD' ? 'The password of the keystore is wrong.' : `The keystore ${message}.`,
  )
}
