import type { Chain, Chains } from '@tidegate/chain'
import { TokenError, ValidationError } from '@tidegate/protocol'
import type { Address } from 'viem'
import { messageSignedByWallet } from './contract-wallet.js'
import type { CutOver } from './nonces/cut-over.js'
import type { Nonce } from './nonces/nonce.js'
import type { NonceStore } from './nonces/nonce-table.js'
import { type DigestsOf, isChainAgnostic, type SignatureMatcher, signerOf } from './signature.js'
import type { TokenClaims, Tokens } from './tokens.js'

/** A request with the address of its claimed sender. */
export interface SignedRequest {
  address: Address
  nonce: Nonce
  /** Hex. */
  signature: string
  /** The messages that the route accepts. One of them must be signed. */
  messages: string[]
  /** The chain on which the address may be a contract wallet. The wallet then verifies the signature (EIP-1271, ERC-6492). */
  chain?: Chain
  /** All served chains: the same owner may have a wallet at this address on each. */
  chains: Chains
  /** Skips the look-up of the nonce, because the caller consumes it before any other work. */
  consumedAtOnce?: boolean
  /** The hash of the messages. Default: the hashes of legacy clients. */
  digestsOf?: DigestsOf
}

/** A consumer who has proved an account. */
export interface ProvenConsumer {
  address: Address
  /** The chain of a contract wallet. The same address may belong to another account on another chain. */
  chainId?: number
  /** The signed message and its signature, which anybody can verify. */
  signed?: { message: string; signature: string }
  /** The accepted message, also for contract wallets. */
  message?: string
  /** The auth token, if the request has one instead of a signature. */
  token?: Pick<TokenClaims, 'jti' | 'expiresAt'>
}

/** A consumer who has signed, and whose nonce is not consumed yet: only then it is a `ProvenConsumer` (http/endpoints/nonce-use.ts). */
export interface SignedConsumer {
  consumer: ProvenConsumer
  /**
   * Consumes the nonce in one atomic statement: of several requests with one nonce, exactly one passes. Throws ValidationError, StateError.
   */
  consumeNonce(): Promise<void>
}

/** The consumed nonces of each address, and the cut-over time. */
export interface UsedNonces {
  nonces: NonceStore
  cutOver: CutOver
}

/**
 * Authenticates the signer of a request. Contract wallets have a nonce per chain, since their address may belong to
 * another account on another chain. If the message names no chain and wallets on several chains accept the signature,
 * each of them consumes the nonce. The check of the nonce here only saves work on a replay: `consumeNonce` decides.
 * Throws ValidationError for an invalid signature or a used nonce, ChainError if a chain of such a wallet cannot be
 * reached.
 */
export async function authenticate(
  request: SignedRequest,
  { signatures, ...used }: UsedNonces & { signatures: SignatureMatcher },
): Promise<SignedConsumer> {
  const { address, nonce, signature, messages, chain, chains, consumedAtOnce, digestsOf } = request
  const message = await signatures.match(address, messages, signature, digestsOf)
  if (message !== undefined) {
    const consumeNonce = await nonceConsumer(address, nonce, used, { consumedAtOnce })
    return { consumer: { address, message, signed: { message, signature } }, consumeNonce }
  }
  if (!chain) throw badSignature()
  const { chainId } = chain
  // before the signature: a nonce is cheaper to check than a call to the chain
  const consumeNonce = await nonceConsumer(address, nonce, used, { chainId })
  const accepted = await messageSignedByWallet(chain, address, messages, signature, digestsOf)
  if (accepted === undefined) throw badSignature()
  const others = [...chains.values()].filter((other) => other.chainId !== chainId && isChainAgnostic(address, accepted))
  const twins = await Promise.all(
    others.map(async (other) =>
      (await messageSignedByWallet(other, address, [accepted], signature)) === undefined ? [] : [other.chainId],
    ),
  )
  return {
    consumer: { address, chainId, message: accepted },
    async consumeNonce() {
      // the other chains first, so that a signature passes once in total
      await Promise.all(twins.flat().map((twin) => used.nonces.consume(address, nonce.sortKey, twin)))
      await consumeNonce()
    },
  }
}

/** Authenticates the signer of one message if the request names no address. Throws ValidationError. */
export async function authenticateSigner(
  request: { nonce: Nonce; signature: string; message: string },
  used: UsedNonces,
): Promise<SignedConsumer> {
  const address = signerOf(request.message, request.signature)
  if (!address) throw badSignature()
  return {
    consumer: { address },
    consumeNonce: await nonceConsumer(address, request.nonce, used, { consumedAtOnce: true }),
  }
}

/**
 * Authenticates an address by its auth token. The token of a contract wallet is valid only on its chain. Throws
 * TokenError, StateError.
 */
export async function authenticateToken(
  address: Address,
  token: string,
  tokens: Tokens,
  chain: Chain | 'any' | undefined,
): Promise<ProvenConsumer> {
  const holder = await authenticateHolder(token, tokens, chain)
  if (holder.address !== address)
    throw new TokenError('TOKEN_INVALID', 'Token is invalid. It was issued to another address.')
  return holder
}

/**
 * Authenticates the holder of an auth token if the request names no address. With chain `any`, a contract wallet is
 * accepted on the chain of its token. Throws TokenError, StateError.
 */
export async function authenticateHolder(
  token: string,
  tokens: Tokens,
  chain: Chain | 'any' | undefined,
): Promise<ProvenConsumer> {
  const { address, chainId, jti, expiresAt } = await tokens.verify(token)
  if (chainId !== undefined && chain !== 'any' && chainId !== chain?.chainId)
    throw new TokenError('TOKEN_INVALID', 'Token is invalid. It was issued to a contract wallet on another chain.')
  const holder: ProvenConsumer = { address, token: { jti, expiresAt } }
  if (chainId !== undefined) holder.chainId = chainId
  return holder
}

/** Checks the nonce of a signature. Returns the function that consumes it. Throws ValidationError, StateError. */
async function nonceConsumer(
  address: Address,
  nonce: Nonce,
  { nonces, cutOver }: UsedNonces,
  { chainId, consumedAtOnce = false }: { chainId?: number; consumedAtOnce?: boolean | undefined },
): Promise<() => Promise<void>> {
  const refusal = async () => usedNonce(await cutOver.lastNonce(await nonces.last(address, chainId)))
  await cutOver.check(nonce)
  if (!consumedAtOnce && !(await nonces.mayPass(address, nonce.sortKey, chainId))) throw await refusal()
  return async () => {
    if (!(await nonces.consume(address, nonce.sortKey, chainId))) throw await refusal()
    // again: a standby of the database that lacks this nonce may have been promoted since
    await cutOver.check(nonce)
  }
}

function badSignature(): ValidationError {
  return ValidationError.of(
    'signature',
    'Invalid signature provided. It does not match the address and the signed fields.',
  )
}

function usedNonce(last: string): ValidationError {
  return ValidationError.of(
    'nonce',
    `The nonce must be greater than the last one used by this address, which is ${last}. GET /api/services/nonce returns it.`,
  )
}
