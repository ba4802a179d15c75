import { keccak, upTo } from '@tidegate/protocol'
import { personalDigest, recoverAddress } from '@tidegate/protocol/keys'
import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import type { SignerRecovery } from './recovery.js'

export { type Command, modernMessage } from '@tidegate/protocol/messages'

/**
 * Returns whether a message binds its signature to no chain: it begins with the signer's address, not with the asset,
 * NFT or transaction that it concerns.
 */
export function isChainAgnostic(address: Address, message: string): boolean {
  return message.slice(0, address.length).toLowerCase() === address.toLowerCase()
}

/** Returns the digests that a signer may have signed for a message. */
export type DigestsOf = (message: string) => Uint8Array[]

/** Finds which of several messages an address signed. */
export class SignatureMatcher {
  /** Index of the message that each address signed last: clients stick to one, and each attempt costs a key recovery. */
  private readonly lastIndex = new LRUCache<Address, number>(upTo(10_000))

  constructor(private readonly signers: Pick<SignerRecovery, 'recover'>) {}

  /**
   * Returns the message for which `signature` (hex, 65 bytes) is the address's: over keccak-256 of the UTF-8 text, as an
   * EIP-191 personal message, unless `digestsOf` says otherwise. Undefined if no message matches, or the signature is malformed; never rejects.
   */
  async match(
    address: Address,
    messages: readonly string[],
    signature: string,
    digestsOf: DigestsOf = messageDigests,
  ): Promise<string | undefined> {
    const bytes = signatureBytes(signature)
    if (!bytes) return undefined
    const last = this.lastIndex.get(address) ?? 0
    const likely = messages[last]
    if (likely !== undefined && (await this.isSigned(address, digestsOf(likely), bytes))) return likely
    for (const [at, message] of messages.entries())
      if (at !== last && (await this.isSigned(address, digestsOf(message), bytes))) {
        this.lastIndex.set(address, at)
        return message
      }
    return undefined
  }

  private async isSigned(address: Address, digests: Uint8Array[], signature: Uint8Array): Promise<boolean> {
    const signer = address.toLowerCase()
    for (const digest of digests) if ((await this.signers.recover(digest, signature)) === signer) return true
    return false
  }
}

/** Recovers the signer of a message, over its full 32-byte hash; undefined if the signature is malformed. */
export function signerOf(message: string, signature: string): Address | undefined {
  const bytes = signatureBytes(signature)
  return bytes && recoverAddress(messageDigests(message)[0] as Uint8Array, bytes)
}

function signatureBytes(signature: string): Buffer | undefined {
  return /^0x[0-9a-f]{130}$/i.test(signature) ? Buffer.from(signature.slice(2), 'hex') : undefined
}

/** Returns the digests that a signer may have signed for a message. */
export function messageDigests(message: string): Uint8Array[] {
  const hash = keccak(Buffer.from(message, 'utf8'))
  const forms = [personalDigest(hash)]
  // some client releases strip the leading zero bytes of the hash before they sign it
  if (hash[0] === 0) forms.push(personalDigest(hash.subarray(hash.findIndex((byte) => byte !== 0))))
  return forms
}

/** Returns the digest of a message that wallets show to people: the text itself as an EIP-191 personal message. */
export function plainDigests(message: string): Uint8Array[] {
  return [personalDigest(Buffer.from(message, 'utf8'))]
}
