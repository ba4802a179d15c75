import { ethers, type Signer } from 'ethers'
import { keccak256 } from 'viem'
import type { Published } from '../../demo/publish.js'
import { type ProviderKey, personalDigest, signDigest } from '../../src/crypto/keys.js'

/** Signs a text as clients of the legacy service do: keccak-256, then a personal message over the 32 bytes. */
export function signText(signer: Signer, text: string): Promise<string> {
  return signer.signMessage(ethers.utils.arrayify(ethers.utils.keccak256(ethers.utils.toUtf8Bytes(text))))
}

/** The same with a bare key, fast enough for thousands. */
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

/** Asks a service for an auth token: a signed request that uses up its nonce and needs no order. */
export function createToken(url: string, key: ProviderKey, nonce: string, seconds = 3600): Promise<Answer> {
  const params = { address: key.address, nonce, expiration: `${Math.floor(Date.now() / 1000) + seconds}` }
  const signature = signatureOf(key, key.address + nonce)
  return ask(`${url}/api/services/createAuthToken?${new URLSearchParams({ ...params, signature })}`)
}

/** Has a service delete an auth token. */
export function deleteToken(url: string, key: ProviderKey, token: string, nonce = freshNonce()): Promise<Answer> {
  const body = { address: key.address, nonce, token, signature: signatureOf(key, key.address + nonce) }
  const headers = { 'content-type': 'application/json' }
  return ask(`${url}/api/services/deleteAuthToken`, { method: 'DELETE', headers, body: JSON.stringify(body) })
}

let last = 0

/** A nonce that is larger than every earlier one of this process, near the clock in milliseconds. */
export function freshNonce(): string {
  last = Math.max(last + 1, Date.now())
  return String(last)
}

/** A response whose body is read, for assertions on all of it at once. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  json: Record<string, unknown>
}

/** Sends a request and reads the answer. */
export async function ask(url: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(url, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, json: parsed(text) }
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>
  } catch {
    return {}
  }
}
