import { type Address, bytesToHex, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { Chain } from '../chain/chains.js'
import { transportFailure } from '../chain/failures.js'
import { signedForms } from './signature.js'

const EIP_1271 = parseAbi(['function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)'])

/** What a contract answers that takes the signature for its own: four bytes, padded. */
const MAGIC = `0x1626ba7e${'0'.repeat(56)}`

/** Longest signature that is handed to a contract, in bytes: several owners' signatures in one. */
const MAX_SIGNATURE = 4096

/** Most gas that a contract may use up to look at a signature. */
const MAX_GAS = 5_000_000n

/**
 * Whether a contract on this chain says that a signature of one of the messages is its own (EIP-1271). Its code is
 * anybody's: gas and time are limited, and whatever it does beside giving the one right answer means no. Throws
 * ChainError.
 */
export function isSignedByContract(
  { nodes }: Chain,
  address: Address,
  messages: string[],
  signature: string,
): Promise<boolean> {
  if (!/^0x(?:[0-9a-f]{2})*$/i.test(signature) || signature.length > 2 + MAX_SIGNATURE * 2)
    return Promise.resolve(false)
  const calls = messages.flatMap(signedForms).map((digest) => {
    const args = [bytesToHex(digest), signature as Hex] as const
    return { to: address, data: encodeFunctionData({ abi: EIP_1271, args }), gas: MAX_GAS }
  })
  return nodes.ask(async (client) => {
    const answers = await Promise.all(calls.map((call) => outcome(client.call(call))))
    return answers.some((answer) => answer?.data === MAGIC)
  })
}

/** What the call gave; undefined where it failed for any reason but the node's own, running out of gas included. */
function outcome<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (transportFailure(error)) throw error
    return undefined
  })
}
