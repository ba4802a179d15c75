import { STATES } from '@tidegate/protocol/asset'
import { fieldsOf } from '@tidegate/protocol/values'
import { type Address, type Hex, isHex, sha256, stringToBytes } from 'viem'
import { PUBLISHING } from '../chain/abi.js'
import type { Sender } from '../chain/sender.js'
import type { Context } from '../context.js'
import { consumerOf, provenOften, type Shown } from '../download/proof.js'
import { TidegateError } from '../errors.js'
import { searchOf } from '../http/api.js'
import type { AssetState, FileEdit, FileObject } from '../types.js'
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
  return hexOf(await context.api.post<unknown>(`/api/services/encrypt?chainId=${chainId}`, text))
}

function hexOf(answer: unknown): Hex {
  if (isHex(answer) && answer.length > 2) return answer
  throw new TidegateError('BAD_ANSWER', "The provider's response is not an encrypted document.")
}

/** Encrypts files together with their asset, so that no other asset can use them. */
export function encryptedFiles(
  context: Context,
  chainId: number,
  created: Created,
  files: readonly FileObject[],
): Promise<Hex> {
  return encrypted(context, chainId, filesObject(created, files))
}

/**
 * Encrypts new files of a service with its present ones after them, which only the provider can read. Throws TidegateError
 * `UNSUPPORTED` if the provider is no Tidegate, or an old one, `FILES_CHANGED` if there is another version by now.
 */
export async function encryptedVersion(
  context: Context,
  about: { documentId: string; serviceId: string; filesVersion: string | undefined },
  created: Created,
  files: readonly FileObject[],
  present: readonly FileEdit[],
): Promise<Hex> {
  const send = (shown: Shown, headers: Record<string, string>) => {
    const path = `/api/services/encrypt/version${searchOf({ ...about, ...consumerOf(shown) })}`
    return context.api.post<unknown>(path, filesObject(created, files, present), undefined, headers)
  }
  const answer = await provenOften(context, 'encryptVersion', send).catch((error) => {
    if (error.status !== 404 && error.status !== 405) throw error
    throw new TidegateError('UNSUPPORTED', 'This provider cannot keep present files.')
  })
  return hexOf(answer)
}

function filesObject({ nft, datatoken }: Created, files: readonly FileObject[], present?: readonly FileEdit[]): string {
  return JSON.stringify({ nftAddress: nft, datatokenAddress: datatoken, files, present })
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
  { nft, chainId, state, document }: { nft: Address; chainId: number; state: AssetState; document: object },
): Promise<void> {
  const text = JSON.stringify(document)
  const { hash, proof } = await validated(context, text)
  const data = await encrypted(context, chainId, text)
  await sender.send({
    to: nft,
    abi: PUBLISHING,
    functionName: 'setMetaData',
    args: [STATES.indexOf(state), context.url, '', ENCRYPTED, data, hash, [proof]],
    what: 'to publish the metadata',
  })
}

/** Flag of a document that is encrypted and not compressed. */
const ENCRYPTED = '0x02'
