import { keccak, upTo } from '@tidegate/protocol'
import { personalDigest, recoverAddress } from '@tidegate/protocol/keys'
import { LRUCache } from 'lru-cache'
import type { Address } from 'viem'
import { PROVIDER_LIMITS } from '../limits.js'
import type { SignerRecovery } from './recovery.js'

export { type Command, modernMessage } from '@tidegate/protocol/messages'

/**
 * Returns whether a message is valid on every chain: it begins with the signer's address, not with an asset, NFT or
 * transaction.
 */
export function isChainAgnostic(address: Address, message: string): boolean {
  return message.slice(0, address.length).toLowerCase() === address.toLowerCase()
}

/** Returns the digests under which a message may be signed. */
export type DigestsOf = (message: string) => Uint8Array[]

/** Finds the message that an address signed. */
export class SignatureMatcher {
  /** Index of the last signed message by address: clients repeat it, and each attempt costs a key recovery. */
  private readonly lastIndex = new LRUCache<Address, number>(upTo(PROVIDER_LIMITS.signers.accounts))

  constructor(private readonly signers: Pick<SignerRecovery, 'recover'>) {}

  /**
   * Returns the message that the address signed with `signature` (hex, 65 bytes): as an EIP-191 personal message over
   * keccak-256 of the UTF-8 text, unless `digestsOf` differs. Undefined if no message matches or the signature is
   * malformed. Never rejects.
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

/** Recovers the signer of a message over its 32-byte hash; undefined for a malformed signature. */
export function signerOf(message: string, signature: string): Address | undefined {
  const bytes = signatureBytes(signature)
  return bytes && recoverAddress(messageDigests(message)[0] as Uint8Array, bytes)
}

function signatureBytes(signature: string): Buffer | undefined {
  return /^0x[0-9a-f]{130}$/i.test(signature) ? Buffer.from(signature.slice(2), 'hex') : undefined
}

/** Returns the digests under which clients sign a message. */
export function messageDigests(message: string): Uint8Array[] {
  const hash = keccak(Buffer.from(message, 'utf8'))
  const forms = [personalDigest(hash)]
  // some client releases strip leading zero bytes of the hash
  if (hash[0] === 0) forms.push(personalDigest(hash.subarray(hash.findIndex((byte) => byte !== 0))))
  return forms
}

/** Returns the digest of a readable message: its text as an EIP-191 personal message. */
export function plainDigests(message: string): Uint8Array[] {
  return [personalDigest(Buffer.from(message, 'utf8'))]
}
