import type { Address } from 'viem'
import type { Chain } from '../chain/chains.js'
import { TokenError, ValidationError } from '../errors.js'
import type { NonceStore } from '../state/store.js'
import { isSignedByContract } from './contract-wallet.js'
import type { Nonce } from './nonce.js'
import { signedMessage, signerOf } from './signature.js'
import type { Tokens } from './tokens.js'

/** A request that claims to come from an address. */
export interface SignedRequest {
  address: Address
  nonce: Nonce
  /** Hex. */
  signature: string
  /** The texts that the route accepts as signed, any one of which will do. */
  messages: string[]
  /** Where the address may be a contract wallet, which is asked itself (EIP-1271). */
  chain?: Chain
}

/** A consumer who was proven; a nonce that goes with it is not used up yet. */
export interface Proven {
  address: Address
  /** The chain whose contract wallet this is: on another chain the same address may be somebody else's. */
  chainId?: number
  /** What was signed, with a signature that anybody can check. */
  signed?: { message: string; signature: string }
  /**
   * Uses the nonce up, in one atomic statement: of any number of requests with one nonce, exactly one passes. Call it
   * before anything is handed out: after every other check, or at once where the other checks are what costs. Does
   * nothing for a token, which may be used again. Throws ValidationError, StateError.
   */
  consumeNonce(): Promise<void>
}

/**
 * Proves who signed a request. Throws ValidationError for a signature that does not hold, or a nonce that was used.
 * Looking at the nonce here only saves work on a replay: what counts is consumeNonce.
 */
export async function authenticate(request: SignedRequest, nonces: NonceStore): Promise<Proven> {
  const { address, nonce, signature, messages, chain } = request
  const message = signedMessage(address, messages, signature)
  if (message !== undefined) return { ...(await provenBy(address, nonce, nonces)), signed: { message, signature } }
  if (!chain) throw badSignature()
  // the nonce first: it is cheaper than the chain
  const proven = await provenBy(address, nonce, nonces)
  if (!(await isSignedByContract(chain, address, messages, signature))) throw badSignature()
  return { ...proven, chainId: chain.chainId }
}

/** Takes whoever signed one text, where a request does not say who it comes from. Throws ValidationError. */
export async function authenticateSigner(
  request: { nonce: Nonce; signature: string; message: string },
  nonces: NonceStore,
): Promise<Proven> {
  const address = signerOf(request.message, request.signature)
  if (!address) throw badSignature()
  return provenBy(address, request.nonce, nonces)
}

/**
 * Proves a request by its auth token, which must be the address's own, and a contract wallet's for its own chain.
 * Throws ValidationError, TokenError.
 */
export async function authenticateToken(
  address: Address,
  token: string,
  tokens: Tokens,
  chain: Chain,
): Promise<Proven> {
  const claims = await tokens.verify(token)
  if (claims.chainId !== undefined && claims.chainId !== chain.chainId)
    throw new TokenError('TOKEN_INVALID', 'Token is invalid. It was issued to a contract wallet on another chain.')
  if (claims.address !== address)
    throw new TokenError('TOKEN_INVALID', 'Token is invalid. It was issued to another address.')
  return { address, consumeNonce: async () => undefined }
}

async function provenBy(address: Address, nonce: Nonce, nonces: NonceStore): Promise<Proven> {
  if (!(await nonces.mayPass(address, nonce.sortKey))) throw usedNonce()
  return {
    address,
    async consumeNonce() {
      if (!(await nonces.consume(address, nonce.sortKey))) throw usedNonce()
    },
  }
}

function badSignature(): ValidationError {
  return ValidationError.of(
    'signature',
    'Invalid signature provided. It does not match the address and the signed fields.',
  )
}

function usedNonce(): ValidationError {
  return ValidationError.of('nonce', 'The nonce must be greater than the last one used by this address.')
}
