import { AwsV4Signer } from 'aws4fetch'
import * as z from 'zod'
import { fileUrl } from '../http/descriptor.js'
import { type HttpRequest, httpStorage } from '../http/http-storage.js'
import { STORAGE_LIMITS } from '../limits.js'
import { BUCKET_NAME, REGION_NAME } from '../s3-names.js'
import type { Storage } from '../storage.js'
import type { StorageTools } from './tools.js'

const plain = (name: string) =>
  z
    .string()
    .min(1, 'must not be empty')
    .max(STORAGE_LIMITS.files.objectKey, `must not be longer than ${STORAGE_LIMITS.files.objectKey} characters`)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are rejected
    .refine((text) => !/[\u0000-\u001f\u007f]/.test(text), `must not hold control characters in ${name}`)
    .refine((text) => !/\p{Surrogate}/u.test(text), 'must be well-formed text')

/** The schema of a header value. */
const ascii = (name: string) => plain(name).refine((text) => /^[\x20-\x7e]*$/.test(text), 'must hold ASCII alone')

const s3File = z.object({
  type: z.literal('s3'),
  endpoint: fileUrl,
  bucket: z.string().regex(BUCKET_NAME, 'must be the name of a bucket'),
  key: plain('key').refine(staysInBucket, 'must not lead out of its bucket'),
  region: z.string().regex(REGION_NAME, 'must be the name of a region').default('us-east-1'),
  accessKeyId: ascii('accessKeyId'),
  secretAccessKey: plain('secretAccessKey'),
  sessionToken: ascii('sessionToken').optional(),
  /** Puts the bucket into the path instead of the host name, as most services other than AWS require. */
  forcePathStyle: z.boolean().default(true),
})

export type S3File = z.infer<typeof s3File>

/** The form of Ocean Node: the same values below `s3Access`, with another name for the key and another default. */
const nodeFile = z.object({ type: z.literal('s3'), s3Access: z.record(z.string(), z.unknown()) })

/** Both forms. Problems have the names of the fields as they were sent. */
const sentFile = z.unknown().transform((value, context): S3File => {
  const isNode = (value as { s3Access?: unknown } | null)?.s3Access !== undefined
  const sent = isNode ? nodeFile.safeParse(value) : undefined
  const { objectKey, ...access } = sent?.data?.s3Access ?? {}
  const key = objectKey === undefined ? {} : { key: objectKey }
  const node = { forcePathStyle: false, ...access, ...key, type: 's3' }
  const parsed = sent && !sent.success ? sent : s3File.safeParse(isNode ? node : value)
  if (parsed.success) return parsed.data as S3File
  for (const { message, path } of parsed.error.issues) {
    const [field] = path as string[]
    const name = field === 'key' && !('key' in access) ? 'objectKey' : field
    const isSent = name !== undefined && (name === 'objectKey' ? objectKey : access[name]) !== undefined
    // a path of one part that is missing means that the field is required
    const nodePath = [`s3Access.${name}`, ...(isSent ? [''] : [])]
    context.addIssue({ code: 'custom', message, path: sent?.success ? nodePath : [...path] })
  }
  return z.NEVER
})

/** Creates the storage for objects of S3-compatible services. Signs requests (Signature Version 4). */
export function s3Storage({ egress }: StorageTools): Storage<S3File> {
  return httpStorage(
    {
      type: 's3',
      schema: sentFile,
      namedByUrl: true,
      requests: async (file) => [await signed(file)],
    },
    egress,
  )
}

/** Signs a request. A Range header can be added later, since the signature does not cover it. */
async function signed(file: S3File): Promise<HttpRequest> {
  const { accessKeyId, secretAccessKey, sessionToken, region } = file
  const credentials = { accessKeyId, secretAccessKey, region, ...(sessionToken ? { sessionToken } : {}) }
  const signer = new AwsV4Signer({ ...credentials, url: bucketUrl(file).href, service: 's3', method: 'GET' })
  // not by URL, which would resolve dot segments of a key
  signer.encodedPath = `${signer.encodedPath.replace(/\/+$/, '')}/${file.key.split('/').map(encoded).join('/')}`
  const { url, headers } = await signer.sign()
  const named = Object.fromEntries(headers as unknown as Iterable<[string, string]>)
  const secret = new Set(Object.keys(named))
  return { url: url.origin + signer.encodedPath + url.search, method: 'GET', headers: named, secret }
}

function bucketUrl({ endpoint, bucket, forcePathStyle }: S3File): URL {
  const url = new URL(endpoint)
  if (forcePathStyle) url.pathname = `${url.pathname.replace(/\/+$/, '')}/${bucket}`
  else url.hostname = `${bucket}.${url.hostname}`
  return url
}

/** Percent-encodes a segment of a key like Signature Version 4. */
function encoded(segment: string): string {
  return encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
}

/** Whether `..` segments of a key stay in the bucket, if a server resolves them. S3 has the same rule. */
function staysInBucket(key: string): boolean {
  let depth = 0
  return key.split('/').every((segment) => {
    depth += segment === '..' ? -1 : segment === '.' || segment === '' ? 0 : 1
    return depth >= 0
  })
}
