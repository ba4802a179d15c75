import * as z from 'zod'
import { stripped } from '../egress/request-url.js'
import { descriptorHeaders, fileUrl } from '../http/descriptor.js'
import { httpStorage } from '../http/http-storage.js'
import type { Storage, UserData } from '../storage.js'
import type { StorageTools } from './tools.js'

const urlFile = z.object({
  type: z.literal('url'),
  url: fileUrl,
  method: z
    .string()
    .default('GET')
    .transform((method) => method.toUpperCase())
    .pipe(z.enum(['GET', 'POST'], 'must be GET or POST')),
  headers: descriptorHeaders,
})

export type UrlFile = z.infer<typeof urlFile>

/** Creates the storage for http(s) URLs. Userdata becomes the query of a GET or the JSON body of a POST. */
export function urlStorage({ egress }: StorageTools): Storage<UrlFile> {
  return httpStorage(
    {
      type: 'url',
      schema: urlFile,
      namedByUrl: true,
      outline: ({ method }) => (method === 'POST' ? { valid: true } : undefined),
      requests: ({ url, method, headers }, userdata) => {
        const secret = new Set(Object.keys(headers))
        if (method === 'GET') return [{ url: withQuery(url, userdata), method, headers, secret }]
        if (!userdata) return [{ url, method, headers, secret }]
        return [{ url, method, headers: { ...JSON_BODY, ...headers }, secret, body: JSON.stringify(userdata) }]
      },
    },
    egress,
  )
}

const JSON_BODY = { 'content-type': 'application/json' }

/** Appends the consumer's values to the query of a URL. They cannot override the publisher's parameters. */
function withQuery(text: string, userdata: UserData | undefined): string {
  if (!userdata) return text
  const own = new URL(text).searchParams
  const added = new URLSearchParams()
  for (const [name, value] of Object.entries(userdata)) {
    if (!own.has(name)) added.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
  }
  if (added.size === 0) return text
  const [address = ''] = stripped(text).split('#', 1)
  const separator = !address.includes('?') ? '?' : /[?&]$/.test(address) ? '' : '&'
  return address + separator + added
}
