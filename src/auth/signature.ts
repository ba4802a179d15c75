import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import { keccak } from '../crypto/keccak.js'
import { isSignedBy, personalDigest, recoverAddress } from '../crypto/keys.js'

/** Names under which modern clients sign a request: each route accepts its own alone. */
export type Command = 'download' | 'encrypt' | 'createAuthToken' | 'invalidateAuthToken' | 'decryptDDO'

/** The text that a modern client signs for a route: address and nonce as it sent them, and the command. */
export function modernMessage(address: string, nonce: string, command: Command): string {
  return address + nonce + command
}

/**
 * Whether a text that an address signs says nothing of a chain: it begins with the signer, and not with the asset, NFT
 * or transaction that it is about.
 */
export function namesNoChain(address: Address, message: string): boolean {
  return message.slice(0, address.length).toLowerCase() === address.toLowerCase()
}

/** Which of its messages an address signed last, by position: a client stays with one, and each try costs a recovery. */
const USUAL = new LRUCache<Address, number>({ max: 10_000 })

/**
 * The one of the messages that `signature` (hex, 65 bytes) is the address's own over: keccak-256 of the UTF-8 text,
 * signed as an EIP-191 personal message. Anything that is not a signature is simply not one; nothing throws.
 */
export function signedMessage(address: Address, messages: string[], signature: string): string | undefined {
  const bytes = signatureBytes(signature)
  if (!bytes) return undefined
  const isSigned = (message: string) => signedForms(message).some((digest) => isSignedBy(address, digest, bytes))
  const usual = USUAL.get(address) ?? 0
  const first = messages[usual]
  if (first !== undefined && isSigned(first)) return first
  const other = messages.find((message, at) => at !== usual && isSigned(message))
  if (other !== undefined) USUAL.set(address, messages.indexOf(other))
  return other
}

/** Whose signature of a message this is, taken as the plain 32-byte form; undefined where it is no signature. */
export function signerOf(message: string, signature: string): Address | undefined {
  const bytes = signatureBytes(signature)
  return bytes && recoverAddress(signedForms(message)[0] as Uint8Array, bytes)
}

function signatureBytes(signature: string): Buffer | undefined {
  return /^0x[0-9a-f]{130}$/i.test(signature) ? Buffer.from(signature.slice(2), 'hex') : undefined
}

/** The digests that a signer may have signed for a message. */
export function signedForms(message: string): Uint8Array[] {
  const hash = keccak(Buffer.from(message, 'utf8'))
  const forms = [personalDigest(hash)]
  // Some client releases strip the leading zero bytes of the hash before they sign it.
  if (hash[0] === 0) forms.push(personalDigest(hash.subarray(hash.findIndex((byte) => byte !== 0))))
  return forms
}
