import type { Signer } from 'ethers'
import type { Published } from './publish.js'
import { type Answer, askJson, downloadParams, freshNonce, signText } from './requests.js'

/** Asks a service for a download link to file 0, signed; those in `changed` replace parameters after signing. */
export async function createLink(
  base: string,
  asset: Published,
  txId: string,
  signer: Signer,
  changed: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Promise<Answer & { url: string; expires: number }> {
  const { nonce: wanted, ...rest } = changed
  const nonce = wanted === undefined ? freshNonce() : String(wanted)
  const signature = await signText(signer, `${await signer.getAddress()}${nonce}downloadLink`)
  const params = await downloadParams(asset, txId, signer, { nonce, signature })
  const answer = await askJson(
    `${base}/api/services/download/link`,
    { ...Object.fromEntries(params), ...rest },
    { headers },
  )
  return { ...answer, url: answer.json.url as string, expires: answer.json.expires as number }
}

/** The part of a link that must stay secret. */
export function grantOf(url: string): string {
  return new URL(url).pathname.split('/').at(-2) as string
}

/** Replaces it by another one. */
export function withGrant(url: string, grant: string): string {
  return url.replace(grantOf(url), grant)
}
