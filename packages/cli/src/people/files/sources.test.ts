import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { sourcesOf, sourceText } from './sources.js'

const CREDENTIALS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret', AWS_REGION: 'eu-west-1' }

describe('the location of a file to publish', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  const file = (name: string, content: string) => {
    writeFileSync(join(folder, name), content)
    return join(folder, name)
  }
  afterEach(() => vi.unstubAllEnvs())
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each([
    [
      'https://example.org/a.csv?x=1',
      { type: 'url', url: 'https://example.org/a.csv?x=1', method: 'GET', name: 'a.csv' },
    ],
    ['ipfs://bafy/a.csv', { type: 'ipfs', hash: 'bafy/a.csv', name: 'a.csv' }],
    ['ar://abc', { type: 'arweave', transactionId: 'abc' }],
  ])('%s', (source, object) => {
    expect(sourcesOf([source], [])).toEqual([{ object }])
    const { name: _, ...nameless } = object as { name?: string }
    expect(sourcesOf([source], [], { anonymousFiles: true })).toEqual([{ object: nameless }])
  })

  it('is an s3:// location with the credentials and the endpoint of the environment', () => {
    for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value)
    const own = {
      type: 's3',
      bucket: 'tides',
      key: 'a/b.csv',
      name: 'b.csv',
      region: 'eu-west-1',
      accessKeyId: 'id',
      secretAccessKey: 'secret',
    }
    const [aws] = sourcesOf(['s3://tides/a/b.csv'], [])
    expect(aws).toEqual({ object: { ...own, endpoint: 'https://s3.eu-west-1.amazonaws.com', forcePathStyle: false } })
    vi.stubEnv('AWS_ENDPOINT_URL_S3', 'https://storage.example')
    const [other] = sourcesOf(['s3://tides/a/b.csv'], [])
    expect(other).toEqual({ object: { ...own, endpoint: 'https://storage.example', forcePathStyle: true } })
    expect(sourceText(other as never)).toBe('s3://tides/a/b.csv, named b.csv')
  })

  it('is a local path, or a descriptor with one object or several', () => {
    const path = file('tides.csv', 'x')
    const one = file('one.json', '{"type":"ftp","url":"ftp://example.org/a"}')
    const several = file('several.json', '[{"type":"url","url":"https://example.org"},{"type":"ipfs","hash":"Qm"}]')
    expect(sourcesOf([path], [one, several])).toEqual([
      { path, name: 'tides.csv' },
      { object: { type: 'ftp', url: 'ftp://example.org/a' } },
      { object: { type: 'url', url: 'https://example.org' } },
      { object: { type: 'ipfs', hash: 'Qm' } },
    ])
  })

  it.each([
    ['ftp://example.org/a', /pass a file of this kind as JSON/],
    ['ipfs://', /the location is empty/],
    ['s3://bucket', /must be s3:\/\/BUCKET\/KEY/],
    ['nowhere.csv', /neither an existing file nor a URL/],
    ['https://', /is not a URL/],
  ])('refuses %s', (source, message) => {
    expect(() => sourcesOf([source], [])).toThrow(message)
  })

  it('refuses s3:// without credentials, and with expiring ones', () => {
    for (const name of Object.keys(CREDENTIALS)) vi.stubEnv(name, '')
    expect(() => sourcesOf(['s3://tides/a.csv'], [])).toThrow(/AWS_ACCESS_KEY_ID/)
    for (const [name, value] of Object.entries(CREDENTIALS)) vi.stubEnv(name, value)
    vi.stubEnv('AWS_SESSION_TOKEN', 'soon')
    expect(() => sourcesOf(['s3://tides/a.csv'], [])).toThrow(/would then fail/)
  })

  it.each([
    ['nothing', '[]'],
    ['text', '"hello"'],
    ['what has no type', '{"url":"https://example.org"}'],
    ['null', '[null]'],
    ['what is no JSON', '{'],
  ])('refuses a descriptor with %s', (_, content) => {
    const path = file('bad.json', content)
    expect(() => sourcesOf([], [path])).toThrow(/must hold a storage object/)
  })

  it('is shown without its secrets', () => {
    const secret = { type: 'url', url: 'https://me:word@example.org/a.csv?token=secret', headers: { key: 'secret' } }
    expect(sourceText({ object: secret })).toBe('https://example.org/a.csv?…')
    expect(sourceText({ object: { type: 'sql', url: 'postgres://me:secret@host/db' } })).toBe('a file of kind sql')
  })
})
