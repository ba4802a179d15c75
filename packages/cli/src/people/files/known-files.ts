import { createHash } from 'node:crypto'
import { createReadStream, statSync } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import type { WalletSession } from '../session.js'
import type { Source } from './sources.js'

/**
 * Marks the local files that an asset has already, by size and SHA-256, with their storage objects: they are not uploaded again, and
 * stay the same files for buyers. Marks none if the provider hosts no files. Throws TidegateError, or the reason of the signal.
 */
export async function withKnown(
  { client, signal }: Pick<WalletSession, 'client' | 'signal'>,
  did: string,
  sources: readonly Source[],
): Promise<Source[]> {
  const wanted = new Set(sources.flatMap((one) => ('path' in one ? statSync(one.path).size : [])))
  if (wanted.size === 0) return [...sources]
  const ids = new Map<string, string>()
  const sizesThere = new Set<number>()
  const { ownUploads } = await import('@tidegate/client/node')
  try {
    for await (const { id, size, sha256, assets } of ownUploads(client.context, { signal }))
      if (wanted.has(size) && assets.includes(did)) {
        ids.set(`${size} ${sha256}`, id)
        sizesThere.add(size)
      }
  } catch (error) {
    // the upload says so, or needs no listing
    if ((error as { code?: string }).code === 'HOSTING_OFF') return [...sources]
    throw error
  }
  const found: Source[] = []
  for (const source of sources) {
    const id = 'path' in source ? await idOf(source.path) : undefined
    if (!('path' in source) || id === undefined) found.push(source)
    else found.push({ ...source, known: hosted(id, source.name) })
  }
  return found

  async function idOf(path: string): Promise<string | undefined> {
    const { size } = statSync(path)
    return sizesThere.has(size) ? ids.get(`${size} ${await digestOf(path, signal)}`) : undefined
  }
}

const hosted = (id: string, name: string | undefined) => ({
  type: 'hosted',
  id,
  ...(name === undefined ? {} : { name }),
})

async function digestOf(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash, { signal })
  return hash.digest('hex')
}
