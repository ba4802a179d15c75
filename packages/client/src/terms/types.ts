/** A link of an asset to the web. The host is to be shown: the publisher chooses name and target. */
export interface AssetLink {
  url: string
  host: string
  name: string
  /** Whether it is a public file of this provider. */
  isHere: boolean
}

/** The description of terms in a document. */
export interface TermsDocument {
  url: string
  /** SHA-256 of the document at the URL, as hex. */
  sha256: string
  name: string
  contentType?: string
}

/** The terms of an asset, which a buyer must accept. */
export interface Terms extends AssetLink, TermsDocument {}

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

/** A document of the licence of an asset of version 5. */
export interface LicenseDocument {
  name: string
  type?: string
  url?: string
  host?: string
  sha256?: string
}
