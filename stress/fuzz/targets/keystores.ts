import fc from 'fast-check'
import { openKeystore } from '../../../packages/protocol/src/crypto/keystore.js'
import { mutatedJson } from '../lib/mutate.js'
import { edgeCaseText } from '../lib/odd.js'
import { holds, SECRET, target } from '../lib/target.js'

/** Cheap parameters, for many inputs per second. */
const KDF = { dklen: 32, salt: '00'.repeat(32) }
const CRYPTO = {
  cipher: 'aes-128-ctr',
  cipherparams: { iv: '00'.repeat(16) },
  ciphertext: '11'.repeat(32),
  kdf: 'scrypt',
  kdfparams: { ...KDF, n: 2, r: 1, p: 1 },
  mac: '22'.repeat(32),
}
const honest = fc.constantFrom<unknown>(
  { version: 3, id: SECRET, address: '00'.repeat(20), crypto: CRYPTO },
  { version: 3, Crypto: { ...CRYPTO, kdf: 'pbkdf2', kdfparams: { ...KDF, c: 1, prf: 'hmac-sha256' } } },
)

/** Encrypted keystores of other wallets. Expensive key derivation is skipped here: it is bounded, and runs once, at start. */
export default target({
  inputs: fc.oneof({ arbitrary: mutatedJson(honest), weight: 9 }, { arbitrary: edgeCaseText(), weight: 1 }),
  isRejection: ({ name }) => name === 'Error',
  async read(text: string) {
    if (/"(?:n|r|p|c)":\d{4,}/.test(text)) return
    const key = await openKeystore(text, 'password')
    holds(/^0x[0-9a-fA-F]{40}$/.test(key.address), 'an opened key has an address')
  },
})
