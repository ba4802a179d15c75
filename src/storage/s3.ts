import { AwsV4Signer } from 'aws4fetch'
import { z } from 'zod'
import { fileUrl } from './descriptor.js'
import { type HttpRequest, httpStorage } from './http-storage.js'
import type { Storage, StorageTools } from './storage.js'

const plain = (name: string) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(1024, 'must not be longer than 1024 characters')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
    .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), `must not hold control characters in ${name}`)
    .refine((text) => !/\p{Surrogate}/u.test(text), 'must be well-formed text')

/** What goes into a header. */
const ascii = (name: string) => plain(name).refine((text) => /^[\x20-\x7e]*$/.test(text), 'must hold ASCII alone')

const s3File = z.object({
  type: z.literal('s3'),
  endpoint: fileUrl,
  bucket: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/, 'must be the name of a bucket'),
  key: plain('key').refine(
    (key) => !key.split('/').some((part) => part === '.' || part === '..'),
    'must not hold dot segments',
  ),
  region: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/i, 'must be the name of a region')
    .default('us-east-1'),
  accessKeyId: ascii('accessKeyId'),
  secretAccessKey: plain('secretAccessKey'),
  sessionToken: ascii('sessionToken').optional(),
  /** Whether the bucket is the first part of the path (as most services besides the first one want it). */
  forcePathStyle: z.boolean().default(true),
})

export type S3File = z.infer<typeof s3File>

/** Objects of a service that speaks S3, by signed requests (signature version 4). */
export function s3Storage({ egress }: StorageTools): Storage<S3File> {
  return httpStorage(
    {
      type: 's3',
      schema: s3File as unknown as z.ZodType<S3File>,
      named: true,
      requests: async (file, _userdata, method) => [await signed(file, method)],
    },
    egress,
  )
}

/** The signature covers method, host, path and time; a range that is added later need not be signed. */
async function signed(file: S3File, method: 'GET' | 'HEAD'): Promise<HttpRequest> {
  const { accessKeyId, secretAccessKey, sessionToken, region } = file
  const credentials = { accessKeyId, secretAccessKey, region, ...(sessionToken ? { sessionToken } : {}) }
  const signer = new AwsV4Signer({ ...credentials, url: objectUrl(file).href, service: 's3', method })
  const { url, headers } = await signer.sign()
  const named = Object.fromEntries(headers as unknown as Iterable<[string, string]>)
  return { url: url.href, method: 'GET', headers: named, secret: new Set(Object.keys(named)) }
}

function objectUrl({ endpoint, bucket, key, forcePathStyle }: S3File): URL {
  const url = new URL(endpoint)
  const path = key.split('/').map(encodeURIComponent).join('/')
  const base = url.pathname.replace(/\/+$/, '')
  if (forcePathStyle) url.pathname = `${base}/${bucket}/${path}`
  else {
    url.hostname = `${bucket}.${url.hostname}`
    url.pathname = `${base}/${path}`
  }
  return url
}
