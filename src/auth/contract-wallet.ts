import { type Address, bytesToHex, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { BOUNDS } from '../bounds.js'
import type { Chain } from '../chain/chains.js'
import { signedForms } from './signature.js'

const EIP_1271 = parseAbi(['function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)'])

/** What a contract answers that takes the signature for its own: four bytes, padded. */
const MAGIC: Hex = `0x1626ba7e${'0'.repeat(56)}`
const MAGIC_BYTES = 32

/**
 * The one of the messages that a contract on this chain takes a signature of for its own (EIP-1271). Its code is
 * anybody's: gas, length and time are limited, and whatever it does beside giving the one right answer means no. Throws
 * ChainError.
 */
export async function messageOfContract(
  { nodes }: Chain,
  address: Address,
  messages: string[],
  signature: string,
): Promise<string | undefined> {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(signature) || signature.length > 2 + BOUNDS.contract.signature * 2)
    return undefined
  const calls = messages.flatMap((message) =>
    signedForms(message).map((digest) => {
      const args = [bytesToHex(digest), signature as Hex] as const
      return { message, to: address, data: encodeFunctionData({ abi: EIP_1271, args }), limit: MAGIC_BYTES }
    }),
  )
  const answers = await nodes.ask((_client, foreign) => Promise.all(calls.map(foreign)))
  return calls[answers.indexOf(MAGIC)]?.message
}
