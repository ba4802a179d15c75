import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Upload, type UploadOptions } from 'tus-js-client'
import { type ProviderKey, providerKey } from '../../packages/protocol/src/crypto/keys.js'
import { ask, createToken, freshNonce } from './requests.js'

/** An auth token of somebody with a key, for the header that replaces signatures. */
export async function tokenOf(base: string, wallet: { privateKey: string }): Promise<Record<string, string>> {
  const key: ProviderKey = providerKey(wallet.privateKey)
  return { AuthToken: (await createToken(base, key, freshNonce())).json.token as string }
}

/** Uploads bytes with the usual client. Answers the URL of the upload. */
export function upload(
  base: string,
  content: Buffer,
  headers: Record<string, string>,
  options: Partial<UploadOptions> = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const started = new Upload(content as never, {
      endpoint: `${base}/api/services/uploads`,
      headers,
      metadata: { filename: 'tides.csv', filetype: 'text/csv' },
      retryDelays: [100, 200, 400, 800],
      onSuccess: () => resolve(started.url as string),
      onError: reject,
      ...options,
    })
    started.start()
  })
}

/** A request of the tus protocol. */
export function tus(url: string, method: string, headers: Record<string, string>, body?: Uint8Array) {
  const sent = { 'tus-resumable': '1.0.0', ...headers }
  if (method === 'PATCH') Object.assign(sent, { 'content-type': 'application/offset+octet-stream' }, headers)
  return ask(url, { method, headers: sent, ...(body ? { body } : {}) })
}

/** Begins an upload of a size. Answers its URL. */
export async function begin(base: string, size: number, headers: Record<string, string>): Promise<string> {
  const {
    status,
    headers: answered,
    text,
  } = await tus(`${base}/api/services/uploads`, 'POST', {
    'upload-length': String(size),
    ...headers,
  })
  if (status !== 201) throw new Error(`${status} ${text}`)
  return base + (answered.get('location') as string)
}

/** The id at the end of the URL of an upload. */
export const idOf = (url: string) => url.split('/').at(-1) as string

/** The path of a file in the folder of hosted files. */
export const pathOf = (folder: string, id: string) => join(folder, id.slice(0, 2), id)

/** Its bytes. */
export const bytesOf = (folder: string, id: string) => readFileSync(pathOf(folder, id))
