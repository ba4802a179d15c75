import type { Chains } from '@tidegate/chain'
import { ValidationError } from '@tidegate/protocol'
import type { StorageRegistry, StoredFile } from '@tidegate/storage'
import type { FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import { boundFiles, sentFiles } from './sent-files.js'

const request = (body: unknown, query: object = {}) => ({ body, query, headers: {} }) as unknown as FastifyRequest
const URL_FILE = { type: 'url', url: 'https://example.com/a' }

describe('storage objects of a request', () => {
  it.each([
    ['one object', request(URL_FILE), [URL_FILE]],
    ['one in the query', request(undefined, URL_FILE), [URL_FILE]],
    ['a list', request([URL_FILE, { type: 'ipfs' }]), [URL_FILE, { type: 'ipfs' }]],
    ['files', request({ files: [URL_FILE], checksum: true }), [URL_FILE]],
    ['twenty', request(Array(20).fill(URL_FILE)), Array(20).fill(URL_FILE)],
  ])('are read from %s', (_case, sent, objects) => {
    expect(sentFiles(sent)?.objects.map((object) => ({ ...(object as object) }))).toEqual(objects)
  })

  it.each([
    ['a published asset', request({ did: 'did:op:1', files: [URL_FILE] })],
    ['nothing', request({})],
  ])('are not looked for in %s', (_case, sent) => expect(sentFiles(sent)).toBeUndefined())

  it.each([
    ['none', []],
    ['21', Array(21).fill(URL_FILE)],
    ['files that are no list', { files: 'encrypted' }],
  ])('are refused if there are %s', (_case, body) => {
    expect(() => sentFiles(request(body))).toThrow(
      ValidationError.of('files', 'The files field must be a list of 1 to 20 storage objects.'),
    )
  })
})

describe('a contract without chain', () => {
  const bound: unknown[] = []
  const storages = {
    typeOf: ({ type }: { type: string }) => type.toLowerCase(),
    file: (object: unknown) => {
      bound.push(object)
      return {} as StoredFile
    },
  } as unknown as StorageRegistry
  const chains = (...ids: number[]) => new Map(ids.map((id) => [id, {}])) as unknown as Chains
  const CONTRACT = { type: 'SmartContract', address: '0x1' }
  const chainOf = (object: object, chainId: number | undefined, ...ids: number[]) => {
    boundFiles({ objects: [object], isList: true }, chainId, { storages, chains: chains(...ids) })
    return (bound.at(-1) as { chainId?: unknown }).chainId
  }

  it('is on the only chain, or on that of the request', () => {
    expect(chainOf(CONTRACT, undefined, 8996)).toBe(8996)
    expect(chainOf(CONTRACT, 137, 8996, 137)).toBe(137)
    expect(chainOf({ ...CONTRACT, chainId: 1 }, 137, 8996, 137)).toBe(1)
    expect(chainOf({ ...CONTRACT, chainId: '137' }, 137, 8996)).toBe(137)
    expect(chainOf(URL_FILE, undefined, 8996)).toBeUndefined()
  })

  it('is refused if several chains are served, and the field is named by its place', () => {
    const objects = [URL_FILE, CONTRACT]
    const bind = () => boundFiles({ objects, isList: true }, undefined, { storages, chains: chains(1, 2) })
    expect(bind).toThrow(
      expect.objectContaining({ fields: { 'files[1].chainId': [expect.stringContaining('several chains')] } }),
    )
  })
})
