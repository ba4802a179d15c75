import type { Chain } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import { type Address, bytesToHex, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { type DigestsOf, messageDigests } from './signature.js'

const EIP_1271 = parseAbi(['function isValidSignature(bytes32 digest, bytes signature) view returns (bytes4)'])

/** The EIP-1271 magic value of a valid signature: four bytes, padded. */
const MAGIC: Hex = `0x1626ba7e${'0'.repeat(56)}`
const MAGIC_BYTES = 32

/**
 * Returns the message whose signature a contract accepts (EIP-1271); undefined if there is none. The contract is
 * untrusted: gas, length and time are limited, and every other answer than the magic value is a refusal. Throws
 * ChainError.
 */
export async function messageSignedByWallet(
  { nodes }: Chain,
  address: Address,
  messages: string[],
  signature: string,
  digestsOf: DigestsOf = messageDigests,
): Promise<string | undefined> {
  if (!/^0x(?:[0-9a-fA-F]{2})*$/.test(signature) || signature.length > 2 + COMMON_LIMITS.contract.signature * 2)
    return undefined
  const calls = messages.flatMap((message) =>
    digestsOf(message).map((digest) => {
      const args = [bytesToHex(digest), signature as Hex] as const
      return { message, to: address, data: encodeFunctionData({ abi: EIP_1271, args }), limit: MAGIC_BYTES }
    }),
  )
  const results = await nodes.ask((_client, callUntrusted) => Promise.all(calls.map(callUntrusted)), {
    // a lagging node may not know the contract yet
    accept: (answers) => answers.some((answer) => answer !== undefined && answer !== '0x'),
  })
  return calls[results.indexOf(MAGIC)]?.message
}
