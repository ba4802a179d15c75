import { type Address, type Hex, isHex, sha256, stringToBytes } from 'viem'
import { PUBLISHING } from '../chain/abi.js'
import type { Sender } from '../chain/sender.js'
import type { Context } from '../context.js'
import { TidegateError } from '../errors.js'
import type { FileObject } from '../types.js'
import { fieldsOf } from '../values.js'
import type { Created } from './create.js'

/** What the contracts record of who has validated a document. */
interface Proof {
  validatorAddress: Address
  v: number
  r: Hex
  s: Hex
}

/** A document that the provider has found good. */
interface Validated {
  /** SHA-256 of its text. */
  hash: Hex
  proof: Proof
}

/** Encrypts a text for the provider alone. */
export async function encrypted(context: Context, chainId: number, text: string): Promise<Hex> {
  const answer = await context.api.post<unknown>(`/api/services/encrypt?chainId=${chainId}`, text)
  if (isHex(answer) && answer.length > 2) return answer
  throw new TidegateError('BAD_ANSWER', "The provider's response is not an encrypted document.")
}

/** Encrypts files with the asset that they belong to, so that no other asset can be published with them. */
export function encryptedFiles(
  context: Context,
  chainId: number,
  { nft, datatoken }: Created,
  files: readonly FileObject[],
): Promise<Hex> {
  return encrypted(context, chainId, JSON.stringify({ nftAddress: nft, datatokenAddress: datatoken, files }))
}

/** Has the provider check a document. Throws TidegateError `VALIDATION`, whose `fields` say what is wrong. */
export async function validated(context: Context, text: string): Promise<Validated> {
  const answer = await context.api.post<unknown>('/api/aquarius/assets/ddo/validate', text)
  const { hash, publicKey, v, r, s } = fieldsOf(answer)
  const [first, second] = [[r].flat()[0], [s].flat()[0]]
  if (hash !== sha256(stringToBytes(text)) || !isHex(publicKey) || !isHex(first) || !isHex(second))
    throw new TidegateError('BAD_ANSWER', 'The provider has validated another document than it was sent.')
  return { hash: hash as Hex, proof: { validatorAddress: publicKey, v: Number(v), r: first, s: second } }
}

/** Puts a document on the chain, validated and encrypted, in one transaction. */
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

/** The flag of a document that is encrypted, and not compressed. */
const ENCRYPTED = '0x02'
