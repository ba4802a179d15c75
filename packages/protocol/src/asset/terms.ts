import { defined, fieldsOf, type Json, lineOf } from '../values/fields.js'
import { licenseDocumentsOf, linkName, sha256In, webLink } from './links.js'
import type { Terms, TermsDocument } from './types.js'

/** Returns the metadata of a document of version 4 or 5. */
export function metadataOf(document: Json): Json {
  return fieldsOf(fieldsOf(document.credentialSubject ?? document).metadata)
}

/**
 * Returns the terms that a buyer must accept; undefined if there are none. They are the document that the publisher describes
 * in `additionalInformation.termsAndConditions`; any other value there, such as the `true` of market front ends, is none.
 * In version 5 a licence is the terms if it has one document only, with SHA-256 and URL. Other licence documents are shown,
 * and need no acceptance.
 */
export function termsOf(provider: string, document: Json): Terms | undefined {
  const metadata = metadataOf(document)
  const given = fieldsOf(fieldsOf(metadata.additionalInformation).termsAndConditions)
  const link = webLink(provider, given.url)
  const sha256 = sha256In(given.sha256)
  if (link && sha256) {
    const contentType = lineOf(given.contentType).slice(0, 100) || undefined
    return { ...link, name: linkName(link, lineOf(given.name)), sha256, ...defined({ contentType }) }
  }
  const [license, ...others] = licenseDocumentsOf(provider, metadata)
  const licensed = webLink(provider, license?.url)
  if (!license?.sha256 || !licensed || others.length > 0) return undefined
  return { ...licensed, name: license.name, sha256: license.sha256 }
}

/** Returns the fields of terms that a document holds. */
export function termsFields({ url, sha256, name, contentType }: TermsDocument): TermsDocument {
  return { url, sha256, name, ...(contentType ? { contentType } : {}) }
}
