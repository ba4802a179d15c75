import type { Terms } from '@tidegate/protocol/asset'

export type { AssetLink, LicenseDocument, Terms, TermsDocument } from '@tidegate/protocol/asset'

/** The bytes of a public file. Untrusted. */
export interface PublicBytes {
  name: string
  contentType: string
  bytes: Uint8Array<ArrayBuffer>
}

/** Terms whose bytes have the SHA-256 of the document. */
export interface TermsText extends Terms, PublicBytes {
  contentType: string
  /** The bytes as text, each line without control characters and indentation; undefined for other kinds such as PDF. */
  text?: string
}
