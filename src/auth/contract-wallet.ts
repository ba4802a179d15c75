import { type Address, bytesToHex, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { Chain } from '../chain/chains.js'
import { signedForms } from './signature.js'

const EIP_1271 = parseAbi(['function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)'])

/** What a contract answers that takes the signature for its own: four bytes, padded. */
const MAGIC: Hex = `0x1626ba7e${'0'.repeat(56)}`
const MAGIC_BYTES = 32

/** Longest signature that is handed to a contract, in bytes: several owners' signatures in one. */
const MAX_SIGNATURE = 4096

/**
 * Whether a contract on this chain says that a signature of one of the messages is its own (EIP-1271). Its code is
 * anybody's: gas, length and time are limited, and whatever it does beside giving the one right answer means no. Throws
 * ChainError.
 */
export function isSignedByContract(
  { nodes }: Chain,
  address: Address,
  messages: string[],
  signature: string,
): Promise<boolean> {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(signature) || signature.length > 2 + MAX_SIGNATURE * 2)
    return Promise.resolve(false)
  const calls = messages.flatMap(signedForms).map((digest) => {
    const args = [bytesToHex(digest), signature as Hex] as const
    return { to: address, data: encodeFunctionData({ abi: EIP_1271, args }), limit: MAGIC_BYTES }
  })
  return nodes.ask(async (_client, foreign) => {
    const answers = await Promise.all(calls.map(foreign))
    return answers.includes(MAGIC)
  })
}
