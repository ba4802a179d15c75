import { AwsV4Signer } from 'aws4fetch'
import * as z from 'zod'
import { BOUNDS } from '../../bounds.js'
import { BUCKET_NAME, REGION_NAME } from '../../s3-names.js'
import { fileUrl } from '../http/descriptor.js'
import { type HttpRequest, httpStorage } from '../http/http-storage.js'
import type { Storage } from '../storage.js'
import type { StorageTools } from './tools.js'

const plain = (name: string) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(BOUNDS.files.objectKey, `must not be longer than ${BOUNDS.files.objectKey} characters`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are rejected
    .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), `must not hold control characters in ${name}`)
    .refine((text) => !/\p{Surrogate}/u.test(text), 'must be well-formed text')

/** A value for a header. */
const ascii = (name: string) => plain(name).refine((text) => /^[\x20-\x7e]*$/.test(text), 'must hold ASCII alone')

const s3File = z.object({
  type: z.literal('s3'),
  endpoint: fileUrl,
  bucket: z.string().regex(BUCKET_NAME, 'must be the name of a bucket'),
  key: plain('key').refine(
    (key) => !key.split('/').some((part) => part === '.' || part === '..'),
    'must not hold dot segments',
  ),
  region: z.string().regex(REGION_NAME, 'must be the name of a region').default('us-east-1'),
  accessKeyId: ascii('accessKeyId'),
  secretAccessKey: plain('secretAccessKey'),
  sessionToken: ascii('sessionToken').optional(),
  /** Puts the bucket into the path instead of the host name, as most services other than AWS require. */
  forcePathStyle: z.boolean().default(true),
})

export type S3File = z.infer<typeof s3File>

/** Creates the storage for objects of S3-compatible services, with signed requests (Signature Version 4). */
export function s3Storage({ egress }: StorageTools): Storage<S3File> {
  return httpStorage(
    {
      type: 's3',
      schema: s3File as unknown as z.ZodType<S3File>,
      namedByUrl: true,
      requests: async (file) => [await signed(file)],
    },
    egress,
  )
}

/** Signs a request. The signature covers method, host, path and time, so a Range header can be added later. */
async function signed(file: S3File): Promise<HttpRequest> {
  const { accessKeyId, secretAccessKey, sessionToken, region } = file
  const credentials = { accessKeyId, secretAccessKey, region, ...(sessionToken ? { sessionToken } : {}) }
  const signer = new AwsV4Signer({ ...credentials, url: objectUrl(file).href, service: 's3', method: 'GET' })
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
