import type { Address } from 'viem'
import { ValidationError } from '../errors.js'
import type { NonceStore } from '../state/store.js'
import type { Nonce } from './nonce.js'
import { isSignedBy } from './signature.js'

/** A request that claims to come from an address. */
export interface SignedRequest {
  address: Address
  nonce: Nonce
  /** Hex. */
  signature: string
  /** The texts that the route accepts as signed, any one of which will do. */
  messages: string[]
}

/** A consumer whose signature holds; its nonce is not used up yet. */
export interface Proven {
  address: Address
  /**
   * Uses the nonce up, in one atomic statement. Call it after every other check and before anything is handed out:
   * of any number of requests with one nonce, exactly one passes. Throws ValidationError, StateError.
   */
  consumeNonce(): Promise<void>
}

/**
 * Proves who sent a request. Throws ValidationError for a signature that does not hold, or a nonce that was used.
 * Looking at the nonce here only saves work on a replay: what counts is consumeNonce.
 */
export async function authenticate(request: SignedRequest, nonces: NonceStore): Promise<Proven> {
  const { address, nonce, signature, messages } = request
  if (!isSignedBy(address, messages, signature))
    throw ValidationError.of(
      'signature',
      'Invalid signature provided. It does not match the address and the signed fields.',
    )
  const last = await nonces.last(address)
  if (last !== undefined && nonce.sortKey <= last) throw usedNonce()
  return {
    address,
    async consumeNonce() {
      if (!(await nonces.consume(address, nonce.sortKey))) throw usedNonce()
    },
  }
}

function usedNonce(): ValidationError {
  return ValidationError.of('nonce', 'The nonce must be greater than the last one used by this address.')
}
