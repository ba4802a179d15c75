import { createCipheriv, createDecipheriv, pbkdf2, randomBytes, randomUUID, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { MIB } from '../constants.js'
import { PROTOCOL_LIMITS } from '../limits.js'
import { withoutMark } from '../values/byte-order-mark.js'

const { cost: COST, memory: MAX_MEMORY, rounds: MAX_ROUNDS, length: MAX_LENGTH } = PROTOCOL_LIMITS.keystore

/** Keccak-256. A parameter, so that callers use a loaded library. */
export type Keccak = (bytes: Uint8Array) => Uint8Array

/**
 * A keystore that cannot be opened. The message continues a sentence that begins with the file, and quotes none of its
 * content.
 */
export class KeystoreError extends Error {
  constructor(
    readonly code: 'BAD_KEYSTORE' | 'WRONG_PASSWORD',
    message: string,
  ) {
    super(message)
  }
}

/**
 * Decrypts a keystore file (Web3 Secret Storage version 3: geth, ethers and most wallets). The caller overwrites the
 * returned secret after use. Throws KeystoreError.
 */
export async function decryptKeystore(text: string, password: string, keccak: Keccak): Promise<Buffer> {
  const { iv, ciphertext, mac, derive } = readKeystore(text)
  const derived = await derive(password)
  if (!timingSafeEqual(macOf(derived, ciphertext, keccak), mac))
    throw new KeystoreError('WRONG_PASSWORD', 'cannot be opened with this password')
  const decipher = createDecipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const secret = Buffer.concat([decipher.update(ciphertext), decipher.final()])
  derived.fill(0)
  return secret
}

/** Encrypts a secret with a password. Returns the keystore file as JSON text. */
export async function encryptKeystore(
  { secret, address }: { secret: Uint8Array; address: string },
  password: string,
  keccak: Keccak,
): Promise<string> {
  const [salt, iv] = [randomBytes(32), randomBytes(16)]
  const derived = await deriveByScrypt(password, salt, COST)
  const cipher = createCipheriv('aes-128-ctr', derived.subarray(0, 16), iv)
  const ciphertext = Buffer.concat([cipher.update(secret), cipher.final()])
  const mac = macOf(derived, ciphertext, keccak).toString('hex')
  derived.fill(0)
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: iv.toString('hex') },
    ciphertext: ciphertext.toString('hex'),
    kdf: 'scrypt',
    kdfparams: { ...COST, dklen: 32, salt: salt.toString('hex') },
    mac,
  }
  const file = { version: 3, id: randomUUID(), address: address.slice(2).toLowerCase(), crypto }
  return `${JSON.stringify(file, null, 2)}\n`
}

type Json = Record<string, unknown>

function readKeystore(text: string) {
  if (text.length > MAX_LENGTH) throw bad('is too long for a keystore')
  let json: unknown
  try {
    json = JSON.parse(withoutMark(text))
  } catch {
    throw bad('is not JSON')
  }
  const file = objectIn(json, 'version')
  if (file.version !== 3) throw bad('is not a keystore of version 3')
  // old wallets write a capital letter
  const sealed = objectIn(file.crypto ?? file.Crypto, 'crypto')
  if (sealed.cipher !== 'aes-128-ctr') throw bad('has another cipher than aes-128-ctr')
  const iv = bytesIn(objectIn(sealed.cipherparams, 'cipherparams').iv, 'iv', 16)
  const mac = bytesIn(sealed.mac, 'mac', 32)
  return { iv, mac, ciphertext: bytesIn(sealed.ciphertext, 'ciphertext'), derive: deriverOf(sealed) }
}

/** Returns the key derivation of a file. Refuses a cost above the limits before any work. */
function deriverOf({ kdf, kdfparams }: Json): (password: string) => Promise<Buffer> {
  const params = objectIn(kdfparams, 'kdfparams')
  const salt = bytesIn(params.salt, 'salt')
  if (params.dklen !== 32) throw bad('has another dklen than 32')
  if (kdf === 'pbkdf2') {
    const rounds = wholeIn(params.c, 'c')
    if (params.prf !== 'hmac-sha256') throw bad('has another prf than hmac-sha256')
    if (rounds > MAX_ROUNDS) throw tooDear()
    return (password) => promisify(pbkdf2)(password, salt, rounds, 32, 'sha256')
  }
  if (kdf !== 'scrypt') throw bad('has another kdf than scrypt or pbkdf2')
  const [n, r, p] = [wholeIn(params.n, 'n'), wholeIn(params.r, 'r'), wholeIn(params.p, 'p')]
  if (n < 2 || !Number.isInteger(Math.log2(n))) throw bad('has an n that is no power of two')
  if (128 * n * r * p > MAX_MEMORY) throw tooDear()
  return (password) => deriveByScrypt(password, salt, { n, r, p })
}

function deriveByScrypt(password: string, salt: Buffer, { n, r, p }: Record<'n' | 'r' | 'p', number>): Promise<Buffer> {
  const options = { N: n, r, p, maxmem: 256 * n * r * p + MIB }
  return new Promise((resolve, reject) =>
    scrypt(password, salt, 32, options, (error, key) =>
      error ? reject(bad('has key derivation parameters that do not work')) : resolve(key),
    ),
  )
}

function macOf(derived: Buffer, ciphertext: Buffer, keccak: Keccak): Buffer {
  return Buffer.from(keccak(Buffer.concat([derived.subarray(16, 32), ciphertext])))
}

function objectIn(value: unknown, name: string): Json {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
  throw bad(`is not a keystore: ${name} is missing`)
}

function bytesIn(value: unknown, name: string, length?: number): Buffer {
  const [, hex] = /^(?:0x)?((?:[0-9a-fA-F]{2})+)$/.exec(typeof value === 'string' ? value : '') ?? []
  if (hex !== undefined && (length === undefined || hex.length === 2 * length)) return Buffer.from(hex, 'hex')
  throw bad(`has no valid ${name}`)
}

function wholeIn(value: unknown, name: string): number {
  if (Number.isSafeInteger(value) && (value as number) > 0) return value as number
  throw bad(`has no valid ${name}`)
}

const tooDear = () => bad('has key derivation parameters above the accepted cost')
const bad = (message: string) => new KeystoreError('BAD_KEYSTORE', message)
