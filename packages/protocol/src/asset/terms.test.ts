import { describe, expect, it } from 'vitest'
import { licenseDocumentsOf } from './links.js'
import { metadataOf, termsOf } from './terms.js'

const PROVIDER = 'https://provider.example/tidegate'
const SHA256 = 'ab'.repeat(32)
const at = (url: unknown) => ({ metadata: { additionalInformation: { termsAndConditions: { url, sha256: SHA256 } } } })
const version5 = (...licenseDocuments: unknown[]) => ({
  credentialSubject: { metadata: { license: { name: 'Licence', licenseDocuments } } },
})
const license = { name: 'terms.pdf', fileType: 'application/pdf', sha256: SHA256 }
const mirrors = [
  { type: 'ipfs', ipfsCid: 'Qm…' },
  { type: 'url', url: 'https://example.org/terms.pdf' },
]

describe('terms of a document', () => {
  it.each([
    [`${PROVIDER}/api/services/public/abc/terms.md`, true],
    ['/api/services/public/abc/terms.md', true],
    ['/api/services/public/../download/x', false],
    [`${PROVIDER}/api/services/public/abc/%2e%2e/terms.md`, false],
    [`${PROVIDER}/api/services/public/abc/terms.md?x`, false],
    ['https://provider.example.evil.example/tidegate/api/services/public/abc/terms.md', false],
  ])('at %s are here: %s', (url, isHere) => {
    expect(termsOf(PROVIDER, at(url))).toMatchObject({ isHere })
  })

  it.each([
    ['/etc/passwd'],
    ['//example.org/x'],
    [{}],
    [null],
    [7],
    ['http://'],
    ['https://a:b@example.org/'],
  ])('at %j are none', (url) => {
    expect(termsOf(PROVIDER, at(url))).toBeUndefined()
  })

  it('of version 5 are its only licence document with SHA-256 and URL', () => {
    const document = version5({ ...license, mirrors })
    const url = 'https://example.org/terms.pdf'
    const terms = { url, host: 'example.org', name: 'terms.pdf', sha256: SHA256, isHere: false }
    expect(termsOf(PROVIDER, document)).toEqual(terms)
    expect(licenseDocumentsOf(PROVIDER, metadataOf(document))).toEqual([
      { name: 'terms.pdf', type: 'application/pdf', url, host: 'example.org', sha256: SHA256 },
    ])
    const [nowhere, unhashed] = [license, { ...license, mirrors, sha256: '' }]
    for (const other of [
      version5(nowhere),
      version5(unhashed),
      version5({ ...license, mirrors }, license),
      version5(null),
    ])
      expect(termsOf(PROVIDER, other)).toBeUndefined()
  })

  it('list at most 20 licence documents', () => {
    const many = version5(...Array(5_000).fill({ ...license, mirrors: Array(5_000).fill({ url: 'data:,' }) }))
    expect(licenseDocumentsOf(PROVIDER, metadataOf(many))).toHaveLength(20)
  })
})
