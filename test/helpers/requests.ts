import { ethers, type Signer } from 'ethers'
import { keccak256 } from 'viem'
import { type ProviderKey, personalDigest, providerKey, signDigest } from '../../packages/protocol/src/crypto/keys.js'
import { type Answer, ask } from './ask.js'
import { eventually } from './eventually.js'
import type { Published } from './publish.js'

export { type Answer, type Asking, ask, askJson } from './ask.js'

/** Signs a text as clients of the legacy service do: a personal message over its keccak-256. */
export async function signText(signer: Signer, text: string): Promise<string> {
  if (signer instanceof ethers.Wallet) return signatureOf(providerKey(signer.privateKey), text)
  return signer.signMessage(ethers.utils.arrayify(ethers.utils.keccak256(ethers.utils.toUtf8Bytes(text))))
}

/** The same with a raw key: the library of the clients takes twenty times as long. */
export function signatureOf(key: ProviderKey, text: string): string {
  const { r, s, v } = signDigest(personalDigest(keccak256(Buffer.from(text), 'bytes')), key)
  return r + s.slice(2) + v.toString(16)
}

/** The parameters of a download of file 0, signed. Those in `changed` replace them after signing. */
export async function downloadParams(
  asset: Published,
  txId: string,
  signer: Signer,
  changed: Record<string, string | undefined> = {},
): Promise<URLSearchParams> {
  const nonce = changed.nonce ?? freshNonce()
  const params: Record<string, string | undefined> = {
    documentId: asset.did,
    serviceId: asset.ddo.services[0]?.id,
    transferTxId: txId,
    fileIndex: '0',
    consumerAddress: await signer.getAddress(),
    nonce,
    signature: await signText(signer, asset.did + nonce),
    ...changed,
  }
  return new URLSearchParams(
    Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** The URL of a download of file 0 from a service, signed. See `downloadParams`. */
export async function downloadUrl(base: string, ...of: Parameters<typeof downloadParams>): Promise<string> {
  return `${base}/api/services/download?${await downloadParams(...of)}`
}

/** Requests an auth token from a service: a signed request that consumes its nonce and needs no order. */
export function createToken(url: string, key: ProviderKey, nonce: string, seconds = 3600): Promise<Answer> {
  const params = { address: key.address, nonce, expiration: `${Math.floor(Date.now() / 1000) + seconds}` }
  const signature = signatureOf(key, key.address + nonce)
  return ask(`${url}/api/services/createAuthToken?${new URLSearchParams({ ...params, signature })}`)
}

/** Deletes an auth token on a service. */
export function deleteToken(url: string, key: ProviderKey, token: string, nonce = freshNonce()): Promise<Answer> {
  const body = { address: key.address, nonce, token, signature: signatureOf(key, key.address + nonce) }
  const headers = { 'content-type': 'application/json' }
  return ask(`${url}/api/services/deleteAuthToken`, { method: 'DELETE', headers, body: JSON.stringify(body) })
}

let last = 0

/** A nonce greater than every earlier one of this process, close to the time in milliseconds. */
export function freshNonce(): string {
  last = Math.max(last + 1, Date.now())
  return String(last)
}

/** Matches the identity of a published file in an answer of fileinfo. */
export const FILE_ID = /^[0-9a-f]{32}$/

/** Waits until the service at a base URL serves the document of an asset. */
export function served(base: string, { did }: { did: string }): Promise<void> {
  return eventually(async () => (await ask(`${base}/api/aquarius/assets/ddo/${did}`)).status === 200)
}

/** Waits until a service has read its chains: before, it reads assets from the chain, and refuses searches. */
export function indexed(base: string): Promise<void> {
  return eventually(async () => {
    const { json } = await ask(`${base}/ready`)
    return json.ready === true && (json.chains as { lag: number }[]).every(({ lag }) => lag === 0)
  })
}
