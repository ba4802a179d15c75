import type { Address } from 'viem'
import type { Chain, Chains } from '../chain/chains.js'
import { TokenError, ValidationError } from '../errors.js'
import type { NonceStore } from '../state/store.js'
import { messageOfContract } from './contract-wallet.js'
import type { Nonce } from './nonce.js'
import { namesNoChain, signedMessage, signerOf } from './signature.js'
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
  /** All chains that are served: on another one the address may be a wallet of the same owner. */
  chains: Chains
}

/** A consumer who was proven; a nonce that goes with it is not used up yet. */
export interface Proven {
  address: Address
  /** The chain whose contract wallet this is: on another chain the same address may be somebody else's. */
  chainId?: number
  /** What was signed, with a signature that anybody can check. */
  signed?: { message: string; signature: string }
  /**
   * Uses the nonce up, in one atomic statement. Call it before anything is handed out: of any number of requests with
   * one nonce, exactly one passes. After every other check, so that a refusal can be mended without signing again; but
   * at once where a refused request could be replayed elsewhere, or its refusal is expensive. Does nothing for a token, which may be used again.
   * Throws ValidationError, StateError.
   */
  consumeNonce(): Promise<void>
}

/**
 * Proves who signed a request. Throws ValidationError for a signature that does not hold, or a nonce that was used.
 * Looking at the nonce here only saves work on a replay: what counts is consumeNonce.
 *
 * Contract wallets have nonces by chain, since one address may be somebody else's wallet on each. Where a text names no
 * chain and wallets on several chains take the signature, its nonce is used up on all of these. Throws ChainError where
 * one of them cannot be asked.
 */
export async function authenticate(request: SignedRequest, nonces: NonceStore): Promise<Proven> {
  const { address, nonce, signature, messages, chain, chains } = request
  const message = signedMessage(address, messages, signature)
  if (message !== undefined) return { ...(await provenBy(address, nonce, nonces)), signed: { message, signature } }
  if (!chain) throw badSignature()
  const { chainId } = chain
  // the nonce first: it is cheaper than the chain
  const proven = await provenBy(address, nonce, nonces, chainId)
  const accepted = await messageOfContract(chain, address, messages, signature)
  if (accepted === undefined) throw badSignature()
  const others = [...chains.values()].filter((other) => other.chainId !== chainId && namesNoChain(address, accepted))
  const twins = await Promise.all(
    others.map(async (other) =>
      (await messageOfContract(other, address, [accepted], signature)) === undefined ? [] : [other.chainId],
    ),
  )
  return {
    ...proven,
    chainId,
    async consumeNonce() {
      // elsewhere first: of one signature that several chains would take, one passes in all
      await Promise.all(twins.flat().map((twin) => nonces.consume(address, nonce.sortKey, twin)))
      await proven.consumeNonce()
    },
  }
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

async function provenBy(address: Address, nonce: Nonce, nonces: NonceStore, chainId?: number): Promise<Proven> {
  if (!(await nonces.mayPass(address, nonce.sortKey, chainId))) throw usedNonce()
  return {
    address,
    async consumeNonce() {
      if (!(await nonces.consume(address, nonce.sortKey, chainId))) throw usedNonce()
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
