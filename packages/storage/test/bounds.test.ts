import { afterAll, describe, expect, it } from 'vitest'
import { testEgress, testRegistry } from '../../../test/helpers/storage-tools.js'
import { encrypt } from '../../protocol/src/crypto/ecies.js'
import { providerKey } from '../../protocol/src/crypto/keys.js'
import { PROTOCOL_LIMITS } from '../../protocol/src/limits.js'
import { openFiles } from '../src/files.js'
import { STORAGE_LIMITS } from '../src/limits.js'

describe('storage objects are bounded (threat 49)', () => {
  const egress = testEgress()
  afterAll(() => egress.close())
  const registry = testRegistry(egress)
  const file = { type: 'url', url: 'https://example.org/a.csv', method: 'GET' }
  const fieldsOf = (changed: object): object => {
    try {
      registry.file({ ...file, ...changed })
      return {}
    } catch (error) {
      return (error as { fields: object }).fields
    }
  }
  const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`x-${at}`, 'v']))

  it('in length and count, and the error names the field', () => {
    const { url, headers: most, headerValue } = STORAGE_LIMITS.files
    expect(fieldsOf({ url: `https://example.org/${'a'.repeat(url - 20)}` })).toEqual({})
    expect(fieldsOf({ url: `https://example.org/${'a'.repeat(url)}` })).toEqual({
      url: [`The url field must not be longer than ${url} characters.`],
    })
    expect(fieldsOf({ headers: headers(most) })).toEqual({})
    expect(fieldsOf({ headers: headers(most + 1) })).toEqual({
      headers: [`The headers field must not hold more than ${most} headers.`],
    })
    expect(fieldsOf({ headers: { 'x-a': 'v'.repeat(headerValue) } })).toEqual({})
    expect(fieldsOf({ headers: { 'x-a': 'v'.repeat(headerValue + 1) } })).toEqual({
      headers: [`The headers field holds a header value longer than ${headerValue} characters.`],
    })
    for (const wrong of ['text', 5, true, [1]]) expect(fieldsOf({ headers: wrong })).toHaveProperty('headers')
    for (const none of [null, undefined, [], {}]) expect(fieldsOf({ headers: none })).toEqual({})
  })

  it('a value without a length, or text with lone surrogates, is an error that names the field (threat 61)', () => {
    const odd = { length: { toString: 1, valueOf: 1 } }
    const wrong = { body: ['The body field holds something that cannot be read.'] }
    expect(fieldsOf({ url: odd })).toEqual(wrong)
    expect(fieldsOf({ type: 'graphql', query: odd })).toEqual(wrong)
    const s3 = { type: 's3', endpoint: file.url, bucket: 'abc', key: 'a', accessKeyId: 'a', secretAccessKey: 'b' }
    expect(fieldsOf(s3)).toEqual({})
    expect(fieldsOf({ ...s3, key: 'a\ud800' })).toEqual({ key: ['The key field must be well-formed text.'] })
    expect(fieldsOf({ ...s3, accessKeyId: '€' })).toEqual({
      accessKeyId: ['The accessKeyId field must hold ASCII alone.'],
    })
  })

  it('a files list above the maximum length is rejected, like a files object with more values than a document has', () => {
    const key = providerKey('11'.repeat(32))
    const own = { nftAddress: key.address, datatokenAddress: key.address }
    const owner = { keys: [key], nft: key.address, datatoken: key.address, ddoVersion: '4.5.0', allowUnbound: false }
    const opened = (count: number, one: unknown) => {
      const files = Array.from({ length: count }, () => one)
      return openFiles(encrypt(key.publicKey, Buffer.from(JSON.stringify({ ...own, files }))).toString('hex'), owner)
    }
    const { count } = STORAGE_LIMITS.files
    expect(opened(count, {}).length).toBe(count)
    expect(() => opened(count + 1, {})).toThrow('Unable to get dataset files')
    const { keys } = PROTOCOL_LIMITS.filesObject
    expect(opened(1000, file).length).toBe(1000)
    expect(() => opened(Math.ceil(keys / 3), file)).toThrow('Unable to get dataset files')
  })
})
