import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Changes, TermsDocument } from '@tidegate/client'
import { misuse } from '@tidegate/provider/commands/failures'
import { describedTerms, type PublicSource, sampleSources, sampleUrls, termsSource } from './files/public-files.js'
import { shown } from './output/text.js'
import type { WalletSession } from './session.js'

/** A change of the documents that everybody may read. Null and an empty list remove them. */
export interface OpenChange {
  terms?: ReturnType<typeof termsSource> | null
  samples?: PublicSource[]
}

/** Reads --terms, --sample and --no-samples; undefined without them. Throws CommandError. */
export function openChange({
  terms,
  sample,
  samples,
}: {
  terms?: string
  sample?: string[]
  samples?: boolean
}): OpenChange | undefined {
  if (sample && samples === false) throw misuse('--sample and --no-samples contradict each other.')
  const change = {
    ...(terms === undefined ? {} : { terms: terms === 'none' ? null : termsSource(terms) }),
    ...(sample || samples === false ? { samples: sampleSources(sample) } : {}),
  }
  return Object.keys(change).length > 0 ? change : undefined
}

/**
 * Returns the changes that need no upload, and the uploads. Terms with the same bytes at this provider are no change. Throws
 * CommandError, TidegateError.
 */
export async function prepared(
  session: WalletSession,
  did: string,
  change: OpenChange | undefined,
): Promise<{ known: Pick<Changes, 'terms' | 'samples'>; uploads: OpenChange | undefined }> {
  const { terms, samples } = change ?? {}
  const known: Pick<Changes, 'terms' | 'samples'> = {}
  const uploads: OpenChange = {}
  if (terms === null) known.terms = null
  else if (terms && 'url' in terms) known.terms = await describedTerms(session, terms)
  else if (terms) {
    const present = (await session.client.asset(did, { signal: session.signal })).terms
    const sha256 = createHash('sha256').update(readFileSync(terms.path)).digest('hex')
    if (!present?.isHere || present.sha256 !== sha256) uploads.terms = terms
  }
  if (samples?.length === 0) known.samples = []
  else if (samples) uploads.samples = samples
  return { known, uploads: Object.keys(uploads).length > 0 ? uploads : undefined }
}

/** Uploads the files of a change. Throws CommandError, TidegateError. */
export async function sent(
  session: WalletSession,
  { terms, samples }: OpenChange,
): Promise<Pick<Changes, 'terms' | 'samples'>> {
  return {
    ...(terms ? { terms: await describedTerms(session, terms) } : {}),
    ...(samples ? { samples: await sampleUrls(session, samples) } : {}),
  }
}

/** Describes the files to upload. */
export function openLines({ terms, samples = [] }: OpenChange = {}): string[] {
  const line = (label: string, { path }: PublicSource) =>
    `  ${label.padEnd(12)} ${shown(path)}, which everybody can read`
  return [...(terms && 'path' in terms ? [line('terms', terms)] : []), ...samples.map((one) => line('sample', one))]
}

export const termsText = ({ name, url, sha256 }: TermsDocument) => `${name}, ${url}, SHA-256 ${sha256}`
