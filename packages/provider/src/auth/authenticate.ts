import type { Chain, Chains } from '@tidegate/chain'
import { TokenError, ValidationError } from '@tidegate/protocol'
import type { Address } from 'viem'
import { messageSignedByWallet } from './contract-wallet.js'
import type { CutOver } from './cut-over.js'
import type { Nonce } from './nonce.js'
import type { NonceStore } from './nonce-table.js'
import { type DigestsOf, isChainAgnostic, type SignatureMatcher, signerOf } from './signature.js'
import type { TokenClaims, Tokens } from './tokens.js'

/** A request that claims to come from an address. */
export interface SignedRequest {
  address: Address
  nonce: Nonce
  /** Hex. */
  signature: string
  /** The messages that the route accepts; one of them must be signed. */
  messages: string[]
  /** Chain on which the address may be a contract wallet, which then verifies the signature itself (EIP-1271). */
  chain?: Chain
  /** All served chains: on another one the address may be a wallet of the same owner. */
  chains: Chains
  /** Whether the caller consumes the nonce before any other work: looking it up first would save nothing. */
  consumedAtOnce?: boolean
  /** How the messages are hashed; as clients of the legacy service do by default. */
  digestsOf?: DigestsOf
}

/** An authenticated consumer, whose nonce is not consumed yet. */
export interface AuthenticatedConsumer {
  address: Address
  /** The chain whose contract wallet this is: on another chain the same address may be somebody else's. */
  chainId?: number
  /** The signed message, with a signature that anybody can verify. */
  signed?: { message: string; signature: string }
  /** The accepted message; a contract wallet's as well. */
  message?: string
  /** The auth token that took the place of a signature. */
  token?: Pick<TokenClaims, 'jti' | 'expiresAt'>
  /**
   * Consumes the nonce in one atomic statement: of any number of requests with one nonce, exactly one passes. Call it
   * before anything is delivered and after every other check, so that a refused request can be repeated without signing
   * again; but at once if a refused request could be replayed elsewhere, or a refusal is expensive. Does nothing for
   * a token, which is reusable. Throws ValidationError, StateError.
   */
  consumeNonce(): Promise<void>
}

/** The used nonces: each address's last one, and the cut-over time before which none is accepted. */
export interface UsedNonces {
  nonces: NonceStore
  cutOver: CutOver
}

/**
 * Authenticates the signer of a request. Throws ValidationError for an invalid signature or a used nonce. The nonce
 * check here only saves work on a replay; consumeNonce is the one that counts.
 *
 * Contract wallets have a nonce per chain, since one address may be somebody else's wallet on another chain. If a
 * message names no chain and wallets on several chains accept the signature, the nonce is consumed on all of these.
 * Throws ChainError if one of them cannot be reached.
 */
export async function authenticate(
  request: SignedRequest,
  { signatures, ...used }: UsedNonces & { signatures: SignatureMatcher },
): Promise<AuthenticatedConsumer> {
  const { address, nonce, signature, messages, chain, chains, consumedAtOnce, digestsOf } = request
  const message = await signatures.match(address, messages, signature, digestsOf)
  if (message !== undefined)
    return {
      message,
      signed: { message, signature },
      ...(await consumerWithNonce(address, nonce, used, { consumedAtOnce })),
    }
  if (!chain) throw badSignature()
  const { chainId } = chain
  // the nonce first: checking it is cheaper than a call to the chain
  const consumer = await consumerWithNonce(address, nonce, used, { chainId })
  const accepted = await messageSignedByWallet(chain, address, messages, signature, digestsOf)
  if (accepted === undefined) throw badSignature()
  const others = [...chains.values()].filter((other) => other.chainId !== chainId && isChainAgnostic(address, accepted))
  const twins = await Promise.all(
    others.map(async (other) =>
      (await messageSignedByWallet(other, address, [accepted], signature)) === undefined ? [] : [other.chainId],
    ),
  )
  return {
    ...consumer,
    chainId,
    message: accepted,
    async consumeNonce() {
      // the other chains first: a signature that several chains accept passes once in total
      await Promise.all(twins.flat().map((twin) => used.nonces.consume(address, nonce.sortKey, twin)))
      await consumer.consumeNonce()
    },
  }
}

/**
 * Authenticates the signer of one message, if the request names no address. The caller consumes the nonce before any
 * other work. Throws ValidationError.
 */
export async function authenticateSigner(
  request: { nonce: Nonce; signature: string; message: string },
  used: UsedNonces,
): Promise<AuthenticatedConsumer> {
  const address = signerOf(request.message, request.signature)
  if (!address) throw badSignature()
  return consumerWithNonce(address, request.nonce, used, { consumedAtOnce: true })
}

/**
 * Authenticates an address by its auth token; a contract wallet's token is valid on its own chain alone. Throws
 * TokenError, StateError.
 */
export async function authenticateToken(
  address: Address,
  token: string,
  tokens: Tokens,
  chain: Chain | 'any' | undefined,
): Promise<AuthenticatedConsumer> {
  const holder = await authenticateHolder(token, tokens, chain)
  if (holder.address !== address)
    throw new TokenError('TOKEN_INVALID', 'Token is invalid. It was issued to another address.')
  return holder
}

/**
 * Authenticates the holder of an auth token, if the request names no address. `any` chain: a contract wallet
 * is the one on the chain of its token. Throws TokenError, StateError.
 */
export async function authenticateHolder(
  token: string,
  tokens: Tokens,
  chain: Chain | 'any' | undefined,
): Promise<AuthenticatedConsumer> {
  const { address, chainId, jti, expiresAt } = await tokens.verify(token)
  if (chainId !== undefined && chain !== 'any' && chainId !== chain?.chainId)
    throw new TokenError('TOKEN_INVALID', 'Token is invalid. It was issued to a contract wallet on another chain.')
  return {
    address,
    ...(chainId === undefined ? {} : { chainId }),
    token: { jti, expiresAt },
    consumeNonce: async () => undefined,
  }
}

async function consumerWithNonce(
  address: Address,
  nonce: Nonce,
  { nonces, cutOver }: UsedNonces,
  { chainId, consumedAtOnce = false }: { chainId?: number; consumedAtOnce?: boolean | undefined },
): Promise<AuthenticatedConsumer> {
  await cutOver.check(nonce)
  if (!consumedAtOnce && !(await nonces.mayPass(address, nonce.sortKey, chainId))) throw usedNonce()
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
