import { createCipheriv, createDecipheriv, pbkdf2, randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import * as z from 'zod'
import { withoutMark } from '../byte-order-mark.js'
import { keccak } from './keccak.js'
import { type ProviderKey, providerKey } from './keys.js'

/** Cost of new files: about a third of a second and 128 MiB for each guess at the password. */
const SCRYPT = { n: 131_072, r: 8, p: 1 }

/** The highest cost accepted from a file: four times geth's. */
const MAX_SCRYPT_MEMORY = 1 << 30
const MAX_PBKDF2_ROUNDS = 10_000_000
/** Characters of a file: honest ones have about five hundred. */
const MAX_FILE = 65_536

const hex = z.string().regex(/^(?:0x)?(?:[0-9a-fA-F]{2})+$/)
const bytes = hex.transform((text) => Buffer.from(text.replace(/^0x/, ''), 'hex'))
/** Initial counter of AES-CTR: one block. */
const counter = bytes.refine(({ length }) => length === 16)

/** Web3 Secret Storage, version 3. Old wallets capitalise the keys of the outer object. */
const FILE = z.object({
  version: z.literal(3),
  crypto: z.object({
    cipher: z.literal('aes-128-ctr'),
    cipherparams: z.object({ iv: counter }),
    ciphertext: bytes,
    mac: bytes,
    kdf: z.enum(['scrypt', 'pbkdf2']),
    kdfparams: z.object({
      salt: bytes,
      dklen: z.literal(32),
      n: z.int().optional(),
      r: z.int().optional(),
      p: z.int().optional(),
      c: z.int().optional(),
      prf: z.string().optional(),
    }),
  }),
})

type Crypto = z.infer<typeof FILE>['crypto']

/**
 * Decrypts a keystore file (Web3 Secret Storage version 3, the format of geth, ethers and most wallets). Throws an
 * Error that names the problem and quotes neither file nor password.
 */
export async function openKeystore(text: string, password: string): Promise<ProviderKey> {
  const { ciphertext, cipherparams, mac, ...kdf } = cryptoOf(text)
  const derived = await derive(password, kdf)
  if (mac.length !== 32 || !timingSafeEqual(macOf(derived, ciphertext), mac))
    throw new Error('cannot be opened with this password')
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), cipherparams.iv)
  const secret = Buffer.concat([decipher.update(ciphertext), decipher.final()])
  derived.fill(0)
  try {
    return providerKey(secret.toString('hex'))
  } finally {
    secret.fill(0)
  }
}

/** Encrypts a key with a password. Returns the keystore file as JSON text. */
export async function makeKeystore({ secret, address }: ProviderKey, password: string): Promise<string> {
  const salt = randomBytes(32)
  const iv = randomBytes(16)
  const kdfparams = { ...SCRYPT, dklen: 32, salt: salt.toString('hex') }
  const derived = await derive(password, { kdf: 'scrypt', kdfparams: { ...SCRYPT, dklen: 32, salt } })
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()])
  const mac = macOf(derived, ciphertext).toString('hex')
  derived.fill(0)
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: 'scrypt',
    kdfparams,
    mac,
  }
  const file = { version: 3, id: randomUUID(), address: address.slice(2).toLowerCase(), crypto }
  return `${JSON.stringify(file, null, 2)}\n`
}

function cryptoOf(text: string): Crypto {
  if (text.length > MAX_FILE) throw new Error('is too long for an encrypted key')
  let json: unknown
  try {
    json = JSON.parse(withoutMark(text))
  } catch {
    throw new Error('is not JSON')
  }
  const { Crypto: old, ...file } = (json ?? {}) as { Crypto?: unknown }
  const read = FILE.safeParse(old === undefined ? file : { ...file, crypto: old })
  if (read.success) return read.data.crypto
  const at = read.error.issues[0]?.path.join('.')
  throw new Error(`is not an encrypted key of version 3${at ? `: ${at} is not as expected` : ''}`)
}

async function derive(password: string, { kdf, kdfparams }: Pick<Crypto, 'kdf' | 'kdfparams'>): Promise<Buffer> {
  const { salt, n = 0, r = 0, p = 0, c = 0, prf } = kdfparams
  if (kdf === 'pbkdf2') {
    if (prf !== 'hmac-sha256' || c < 1 || c > MAX_PBKDF2_ROUNDS)
      throw new Error('has key derivation parameters that are invalid or above what is accepted')
    return promisify(pbkdf2)(password, salt, c, 32, 'sha256')
  }
  const memory = 128 * n * r * p
  if (n < 2 || (n & (n - 1)) !== 0 || r < 1 || p < 1 || memory > MAX_SCRYPT_MEMORY)
    throw new Error('has key derivation parameters that are invalid or above what is accepted')
  const options = { N: n, r, p, maxmem: 2 * memory + 1_048_576 }
  return new Promise((resolve, reject) =>
    scrypt(password, salt, 32, options, (error, key) => (error ? reject(error) : resolve(key))),
  )
}

function macOf(derived: Buffer, ciphertext: Buffer): Buffer {
  return Buffer.from(keccak(Buffer.concat([derived.subarray(16, 32), ciphertext])))
}
