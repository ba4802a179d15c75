import { randomBytes } from 'node:crypto'
import type { HostedStore } from '../hosted-store.js'
import type { S3Backend } from './s3-backend.js'
import type { S3Error } from './s3-client.js'

/** The actions that the bucket's policy must allow, in the order of the probe. */
const STEPS = ['ListBucket', 'PutObject', 'GetObject', 'AbortMultipartUpload', 'DeleteObject'] as const

/** Tries every operation of the service on the bucket, with small objects that it deletes again. */
export async function probe(
  { bucket, name, prefix }: S3Backend,
  store: HostedStore,
): Promise<{ ok: boolean; text: string }> {
  const { files, bytes } = await store.totals()
  const key = `${prefix}doctor-${randomBytes(12).toString('base64url')}`
  const body = randomBytes(16)
  const steps: Record<(typeof STEPS)[number], () => Promise<unknown>> = {
    ListBucket: () => bucket.list(key).next(),
    PutObject: () => bucket.put(key, body),
    GetObject: async () => {
      const chunks: Buffer[] = []
      for await (const chunk of await bucket.get(key, { start: 0, end: 15, size: 16 })) chunks.push(chunk as Buffer)
      if (!Buffer.concat(chunks).equals(body)) throw Object.assign(new Error(), { code: 'OtherBytes' })
    },
    AbortMultipartUpload: async () => bucket.abort(key, await bucket.begin(key)),
    DeleteObject: () => bucket.remove(key),
  }
  const failed: string[] = []
  for (const step of STEPS)
    await steps[step]().catch(({ code }: S3Error) => void failed.push(`${step} fails with ${code}`))
  const unlisted = await bucket
    .uploads(key)
    .next()
    .then(
      () => '',
      ({ code }: S3Error) =>
        `; abandoned uploads are left to its lifecycle rule, since ListMultipartUploads fails with ${code}`,
    )
  return failed.length === 0
    ? {
        ok: true,
        text: `hosted files: ${files} with ${bytes} bytes in the bucket ${name}, which can be used${unlisted}`,
      }
    : { ok: false, text: `hosted files: the bucket ${name} cannot be used: ${failed.join(', ')}` }
}
