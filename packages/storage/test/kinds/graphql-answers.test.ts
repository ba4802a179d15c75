import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSchema, createYoga } from '../../../../test/helpers/graphql-server.js'
import { ASKING, serverAndRegistry } from '../../../../test/helpers/storage-tools.js'
import { STORAGE_LIMITS } from '../../src/limits.js'
import type { StoredFile } from '../../src/storage.js'

const ERRORS = '"errors":[{"message":"the gauge is broken","path":["data"],"locations":[{"line":1,"column":2}]}]'
const read = async (file: StoredFile, method: 'GET' | 'HEAD' = 'GET') =>
  Buffer.concat(await (await file.open({ ...ASKING, method, headers: {} })).body.toArray()).toString()
const NO_DATA = { code: 'STORAGE_REFUSED', message: expect.stringContaining('with errors, and no data') }

describe('an answer to a GraphQL query', () => {
  let started: Awaited<ReturnType<typeof serverAndRegistry>>
  beforeAll(async () => {
    started = await serverAndRegistry()
  })
  afterAll(() => started.close())

  let count = 0
  /** A file whose server sends this text in pieces of so many bytes. */
  function answering(text: string, piece = text.length || 1) {
    const url = started.server.on(`/${++count}`, async (_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      const bytes = Buffer.from(text)
      for (let at = 0; at < bytes.length; at += piece) {
        response.write(bytes.subarray(at, at + piece))
        await new Promise((resolve) => setImmediate(resolve))
      }
      response.end()
    })
    return started.registry.file({ type: 'graphql', url, query: '{ height }' })
  }

  it.each([
    ['control: data', '{"data":{"height":3}}'],
    ['data before errors', `{"data":{"height":3,"low":null},${ERRORS}}`],
    ['errors before data', `{${ERRORS},"data":{"low":null,"height":3}}`],
    ['spaces and a mark', `\ufeff {\n "extensions": {"data": null}, "data" : { "height" : [ ] } }`],
    ['a key with escapes', '{"d\\u0061ta":{"height":"a \\" } b"}}'],
    ['a null that is the answer', '{"data":{"height":null}}'],
    ['a null, and a list without errors', '{"errors":[],"data":{"height":null}}'],
    ['a null, and null for errors', '{"errors":null,"data":{"height":null}}'],
    ['false and nought', `{${ERRORS},"data":{"height":0}}`],
    ['data of no fields', '{"data":{}}'],
    ['a list, which is no answer to one query', '[{"data":null}]'],
    ['text that is not JSON', 'height: 3'],
    ['data that is text', '{"data":"x"}'],
    ['many errors before data', `{"errors":[${'{"message":"x"},'.repeat(10_000)}{}],"data":{"height":3}}`],
    ['much data', `{"data":{"heights":[${'3,'.repeat(400_000)}3]},${ERRORS}}`],
  ])('is a file, and delivered as it is: %s', async (_case, text) => {
    for (const piece of text.length < 1000 ? [text.length, 1] : [text.length, 50_000]) {
      const file = answering(text, piece)
      expect(await file.describe(ASKING)).toMatchObject({ valid: true })
      expect(await read(file)).toBe(text)
      expect(await read(file, 'HEAD')).toBe('')
    }
  })

  it.each([
    ['errors alone', `{${ERRORS}}`],
    ['null for data', `{"data":null,${ERRORS}}`],
    ['null for data, after the errors', `{${ERRORS},"data":null}`],
    ['null for data, and no errors', '{"data":null}'],
    ['null for every field', `{"data":{"height":null,"low":null},${ERRORS}}`],
    ['null for every field, after the errors', `{${ERRORS},"data":{"height":null}}`],
    ['errors with data of their own', '{"errors":[{"message":"\\"data\\":{}","data":{"height":3}}]}'],
    ['errors in words', '{"errors":"no"}'],
    ['extensions with data', `{"extensions":{"data":{"height":3}},${ERRORS}}`],
    ['a word for the gateway', '{"message":"no such API"}'],
    ['an object without anything', '{}'],
    ['nothing', ''],
    ['the beginning of errors', '{"errors":[{"message":"x'],
    ['errors without end', `{"errors":["${'x'.repeat(2 * STORAGE_LIMITS.graphql.beforeData)}"],"data":{"height":3}}`],
  ])('is no file, and refused with a reason: %s', async (_case, text) => {
    for (const piece of text.length < 1000 ? [text.length || 1, 1] : [50_000]) {
      const file = answering(text, piece)
      expect(await file.describe(ASKING)).toEqual({ valid: false, reason: 'failed' })
      for (const method of ['GET', 'HEAD'] as const) await expect(read(file, method)).rejects.toMatchObject(NO_DATA)
    }
  })

  it('of a real server is judged alike', async () => {
    const fails = () => {
      throw new Error('broken')
    }
    const typeDefs = 'type Query { height: Int  low: Int  must: Int! }'
    const resolvers = { Query: { height: () => 3, low: fails, must: fails } }
    const server = createServer(createYoga({ logging: false, schema: createSchema({ typeDefs, resolvers }) }))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/graphql`
    const valid = async (query: string) =>
      (await started.registry.file({ type: 'graphql', url, query }).describe(ASKING)).valid
    expect(
      await Promise.all(['{ height }', '{ height low }', '{ low }', '{ height must }', '{ none }'].map(valid)),
    ).toEqual([...[true, true, false, false, false]])
    server.close()
    server.closeAllConnections()
  })
})
