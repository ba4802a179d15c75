import { type Address, type Hex, isHex, sha256, stringToBytes } from 'viem'
import { PUBLISHING } from '../chain/abi.js'
import type { Sender } from '../chain/sender.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { FileObject } from '../types.js'
import { fieldsOf } from '../values.js'
import type { Created } from './create.js'

/** The contracts' record of a validator's signature. */
interface Proof {
  validatorAddress: Address
  v: number
  r: Hex
  s: Hex
}

/** A document that the provider has validated. */
interface Validated {
  /** SHA-256 of its text. */
  hash: Hex
  proof: Proof
}

/** Encrypts a text for the provider. */
export async function encrypted(context: Context, chainId: number, text: string): Promise<Hex> {
  const answer = await context.api.post<unknown>(`/api/services/encrypt?chainId=${chainId}`, text)
  if (isHex(answer) && answer.length > 2) return answer
  throw new TidegateError('BAD_ANSWER', "The provider's response is not an encrypted document.")
}

/** Encrypts files together with their asset, so that no other asset can use them. */
export function encryptedFiles(
  context: Context,
  chainId: number,
  { nft, datatoken }: Created,
  files: readonly FileObject[],
): Promise<Hex> {
  return encrypted(context, chainId, JSON.stringify({ nftAddress: nft, datatokenAddress: datatoken, files }))
}

/** Lets the provider validate a document. Throws TidegateError `VALIDATION`, with the reasons in `fields`. */
export async function validated(context: Context, text: string): Promise<Validated> {
  const answer = await context.api.post<unknown>('/api/aquarius/assets/ddo/validate', text)
  const { hash, publicKey, v, r, s } = fieldsOf(answer)
  const [first, second] = [[r].flat()[0], [s].flat()[0]]
  if (hash !== sha256(stringToBytes(text)) || !isHex(publicKey) || !isHex(first) || !isHex(second))
    throw new TidegateError('BAD_ANSWER', 'The provider validated another document than the sent one.')
  return { hash: hash as Hex, proof: { validatorAddress: publicKey, v: Number(v), r: first, s: second } }
}

/** Writes a document to the chain, validated and encrypted, in one transaction. */
export async function putMetadata(
  context: Context,
  sender: Sender,
  { nft, chainId, state, document }: { nft: Address; chainId: number; state: number; document: object },
): Promise<void> {
  const text = JSON.stringify(document)
  const { hash, proof } = await validated(context, text)
  const data = await encrypted(context, chainId, text)
  await sender.send({
    to: nft,
    abi: PUBLISHING,
    functionName: 'setMetaData',
    args: [state, context.url, '', ENCRYPTED, data, hash, [proof]],
    what: 'to publish the metadata',
  })
}

/** Flag of a document that is encrypted and not compressed. */
const ENCRYPTED = '0x02'
