import type { TermsDocument } from '@tidegate/client'

/** The terms of a draft, or of an asset that is edited. */
export interface TermsDraft {
  kind: 'none' | 'file' | 'url'
  /** With `file`: the uploaded file, or the present terms. */
  document?: TermsDocument | undefined
  /** With `url`. */
  url: string
  sha256: string
}

export const NO_TERMS: TermsDraft = { kind: 'none', url: '', sha256: '' }

export type TermsProblem = 'fileMissing' | 'urlBad' | 'sha256Bad'

/** Returns the terms to publish, undefined for none, or the first problem. */
export function termsIn({
  kind,
  document,
  url,
  sha256,
}: TermsDraft): TermsDocument | undefined | { problem: TermsProblem } {
  if (kind === 'none') return undefined
  if (kind === 'file') return document ?? { problem: 'fileMissing' }
  const typed = url.trim()
  if (!/^https?:\/\//i.test(typed) || !URL.canParse(typed)) return { problem: 'urlBad' }
  const hash = sha256.trim().toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(hash)) return { problem: 'sha256Bad' }
  const { href, pathname, host } = new URL(typed)
  return { url: href, sha256: hash, name: pathname.split('/').at(-1) || host }
}

/** Returns the form of present terms. */
export function termsDraftOf(terms: TermsDocument | undefined): TermsDraft {
  if (!terms) return NO_TERMS
  const { url, sha256, name, contentType } = terms
  const document = { url, sha256, name, ...(contentType ? { contentType } : {}) }
  return { ...NO_TERMS, kind: 'file', document }
}
