import type { Chain } from '@tidegate/chain'
import { COMMON_LIMITS } from '@tidegate/common'
import { type Address, bytesToHex, type Hex } from 'viem'
import { type DigestsOf, messageDigests } from './signature.js'
import { acceptanceCalls, MAGIC, MAGIC_BYTES } from './undeployed-wallet.js'

/**
 * Returns the message whose signature a contract accepts (EIP-1271), also one that is not deployed yet (ERC-6492);
 * undefined if there is none. Contract and factory are untrusted: gas, length and time are limited, and every other
 * answer than the magic value is a refusal. Throws ChainError.
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
  const callOf = acceptanceCalls(address, signature as Hex)
  if (!callOf) return undefined
  const calls = messages.flatMap((message) =>
    digestsOf(message).map((digest) => ({ message, ...callOf(bytesToHex(digest)), limit: MAGIC_BYTES })),
  )
  const results = await nodes.ask((_client, callUntrusted) => Promise.all(calls.map(callUntrusted)), {
    // a lagging node may not know the contract yet
    accept: (answers) => answers.some((answer) => answer !== undefined && answer !== '0x'),
  })
  return calls[results.indexOf(MAGIC)]?.message
}
