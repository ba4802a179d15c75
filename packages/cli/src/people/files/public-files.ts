import { readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import type { PublicFile, TermsDocument } from '@tidegate/client'
import { misuse } from '@tidegate/provider/commands/failures'
import { CLI_LIMITS } from '../../limits.js'
import { shown } from '../output/text.js'
import type { WalletSession } from '../session.js'
import { mediaTypeOf } from './media-type.js'
import { withWayOn } from './uploads.js'

/** A local file that everybody may read after its upload. */
export interface PublicSource {
  path: string
  contentType: string
}

/** Most samples of an asset. */
const SAMPLES = 10
const TERMS_TYPES = new Set(['text/plain', 'text/markdown', 'application/pdf'])

/** Reads --terms: a URL, or a local file. Throws CommandError. */
export function termsSource(text: string): PublicSource | { url: string } {
  if (/^https?:\/\//i.test(text)) return { url: text }
  const source = localFile('--terms', text)
  if (TERMS_TYPES.has(source.contentType)) return source
  throw misuse(`--terms: ${shown(text)} must be a text, Markdown or PDF file (.txt, .md, .pdf), or a URL.`)
}

/** Reads --sample. Throws CommandError. */
export function sampleSources(paths: readonly string[] = []): PublicSource[] {
  if (paths.length > SAMPLES) throw misuse(`--sample: at most ${SAMPLES} samples.`)
  return paths.map((path) => localFile('--sample', path))
}

function localFile(option: string, path: string): PublicSource {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.isFile()) throw misuse(`${option}: ${shown(path)} is no file.`)
  if (found.size === 0) throw misuse(`${option}: ${shown(path)} is empty.`)
  if (found.size > CLI_LIMITS.files.publicFile)
    throw misuse(`${option}: ${shown(path)} is larger than 5 MiB, the most of a public file.`)
  return { path, contentType: mediaTypeOf(path) }
}

/** Fetches terms at their URL, or uploads them. Throws CommandError, TidegateError. */
export function describedTerms(session: WalletSession, source: PublicSource | { url: string }): Promise<TermsDocument> {
  if ('url' in source) return session.client.termsAt(source.url, { signal: session.signal })
  return uploadPublic(session, source)
}

/** Uploads samples. Returns their URLs. Throws CommandError, TidegateError. */
export async function sampleUrls(session: WalletSession, sources: readonly PublicSource[]): Promise<string[]> {
  const urls: string[] = []
  for (const source of sources) urls.push((await uploadPublic(session, source)).url)
  return urls
}

async function uploadPublic(
  { client, signal, out }: WalletSession,
  { path, contentType }: PublicSource,
): Promise<PublicFile> {
  const blob = new Blob([readFileSync(path)], { type: contentType })
  try {
    const file = await client.uploadPublic(blob, { name: basename(path), signal })
    out.note(`uploaded: ${shown(path)}, which everybody can read at ${shown(file.url)}`)
    return file
  } catch (error) {
    throw withWayOn(path, error as Error)
  }
}
