import { createDecipheriv, pbkdf2, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { bytesToHex, keccak256, type PrivateKeyAccount } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { TidegateError } from '../errors.js'

/** Characters of a keystore; honest ones have about five hundred. */
const LENGTH = 65_536
/** The highest cost that is paid for a file: bytes of memory and rounds, four times those of common wallets and more. */
const SCRYPT_MEMORY = 1 << 30
const PBKDF2_ROUNDS = 10_000_000

type Json = Record<string, unknown>

interface Sealed {
  iv: Buffer
  ciphertext: Buffer
  mac: Buffer
  derive(password: string): Promise<Buffer>
}

/**
 * Opens a keystore file (Web3 Secret Storage, version 3: what geth, ethers and most wallets write) and answers the
 * account in it. Throws TidegateError `BAD_KEYSTORE` for what is none, and `WRONG_PASSWORD`; neither quotes anything.
 *
 * @example
 * const account = await openKeystore(await readFile('key.json', 'utf8'), password)
 * const wallet = createWalletClient({ account, transport: http(rpcUrl) })
 */
export async function openKeystore(json: string, password: string): Promise<PrivateKeyAccount> {
  const { iv, ciphertext, mac, derive } = sealedIn(json)
  const derived = await derive(password)
  const own = Buffer.from(keccak256(Buffer.concat([derived.subarray(16, 32), ciphertext]), 'bytes'))
  if (!timingSafeEqual(own, mac)) throw new TidegateError('WRONG_PASSWORD', 'The password of the keystore is wrong.')
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const secret = Buffer.concat([decipher.update(ciphertext), decipher.final()])
  derived.fill(0)
  try {
    return privateKeyToAccount(bytesToHex(secret))
  } catch {
    throw bad('holds no key of an account')
  } finally {
    secret.fill(0)
  }
}

function sealedIn(json: string): Sealed {
  if (json.length > LENGTH) throw bad('is too long')
  let file: Json
  try {
    file = objectIn(JSON.parse(json.replace(/^\ufeff/, '')), 'the file')
  } catch {
    throw bad('is not JSON of a keystore')
  }
  if (file.version !== 3) throw bad('is not of version 3')
  // old wallets write a capital letter
  const sealed = objectIn(file.crypto ?? file.Crypto, 'crypto')
  if (sealed.cipher !== 'aes-128-ctr') throw bad('has another cipher than aes-128-ctr')
  const iv = bytesIn(objectIn(sealed.cipherparams, 'cipherparams').iv, 'iv', 16)
  const mac = bytesIn(sealed.mac, 'mac', 32)
  return { iv, mac, ciphertext: bytesIn(sealed.ciphertext, 'ciphertext'), derive: deriverOf(sealed) }
}

function deriverOf({ kdf, kdfparams }: Json): Sealed['derive'] {
  const params = objectIn(kdfparams, 'kdfparams')
  const salt = bytesIn(params.salt, 'salt')
  if (params.dklen !== 32) throw bad('has another dklen than 32')
  if (kdf === 'pbkdf2') {
    const rounds = wholeIn(params.c, 'c')
    if (params.prf !== 'hmac-sha256') throw bad('has another prf than hmac-sha256')
    if (rounds > PBKDF2_ROUNDS) throw tooDear()
    return (password) => promisify(pbkdf2)(password, salt, rounds, 32, 'sha256')
  }
  if (kdf !== 'scrypt') throw bad('has another kdf than scrypt or pbkdf2')
  const [N, r, p] = [wholeIn(params.n, 'n'), wholeIn(params.r, 'r'), wholeIn(params.p, 'p')]
  const memory = 128 * N * r * p
  if (N < 2 || !Number.isInteger(Math.log2(N))) throw bad('has an n that is no power of two')
  if (memory > SCRYPT_MEMORY) throw tooDear()
  return (password) =>
    new Promise((resolve, reject) =>
      scrypt(password, salt, 32, { N, r, p, maxmem: 2 * memory + 1_048_576 }, (error, key) =>
        error ? reject(bad('asks for what cannot be computed')) : resolve(key),
      ),
    )
}

function objectIn(value: unknown, name: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw bad(`has no ${name}`)
}

function bytesIn(value: unknown, name: string, length?: number): Buffer {
  const [, hex] = /^(?:0x)?((?:[0-9a-fA-F]{2})+)$/.exec(typeof value === 'string' ? value : '') ?? []
  if (hex === undefined || (length !== undefined && hex.length !== 2 * length)) throw bad(`has no ${name} as expected`)
  return Buffer.from(hex, 'hex')
}

function wholeIn(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number
  throw bad(`has no ${name} as expected`)
}

function tooDear(): TidegateError {
  return bad('has key derivation parameters above what is accepted')
}

function bad(why: string): TidegateError {
  return new TidegateError('BAD_KEYSTORE', `The keystore ${why}.`)
}
