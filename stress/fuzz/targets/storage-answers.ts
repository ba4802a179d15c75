import { validateHeaderName, validateHeaderValue } from 'node:http'
import { Readable } from 'node:stream'
import fc from 'fast-check'
import { contentDisposition, fallbackName } from '../../../packages/provider/src/http/files/disposition.js'
import { withSealedTag } from '../../../packages/provider/src/http/files/validators.js'
import type { EgressResponse } from '../../../packages/storage/src/egress/egress.js'
import { testRegistry } from '../../../test/helpers/storage-tools.js'
import { fakeEgress } from '../lib/fake-egress.js'
import { DESCRIPTORS, KEY } from '../lib/honest.js'
import { mutated } from '../lib/mutate.js'
import { holds, target } from '../lib/target.js'

interface Answer {
  status: number
  headers: Record<string, string | string[]>
  chunks: number[]
}

const HONEST: Answer = {
  status: 200,
  headers: {
    ...{ 'content-type': 'text/csv; charset=utf-8', 'content-length': '30', 'accept-ranges': 'bytes', etag: '"abc"' },
    ...{ 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT', 'content-disposition': 'attachment; filename="a.csv"' },
  },
  chunks: [10, 10, 10],
}
const PART = { ...HONEST, status: 206, headers: { ...HONEST.headers, 'content-range': 'bytes 10-39/100' } }
const OTHERS: Answer[] = [
  { ...HONEST, headers: { ...HONEST.headers, 'content-encoding': 'gzip' } },
  { status: 416, headers: { 'content-range': 'bytes */100' }, chunks: [] },
  { status: 304, headers: { etag: 'W/"abc"' }, chunks: [] },
]

const answers: Answer[] = []
const { egress } = fakeEgress(({ url }): EgressResponse => {
  const answer = answers.shift() ?? { status: 404, headers: {}, chunks: [] }
  return {
    status: answer.status,
    headers: answer.headers,
    body: Readable.from(answer.chunks.map((size) => Buffer.alloc(size))),
    url: new URL(url),
  }
})
const gateways = ['https://one.example', 'https://two.example']
const registry = testRegistry(egress, { gateways: { ipfs: gateways, filecoin: gateways, arweave: gateways } })
const files = DESCRIPTORS.filter(({ type }) => !/^(?:ipfs|sql|ftp|smartcontract|hosted)$/.test(String(type)))
const TAGGED = { keys: [KEY], did: 'did:op:1', serviceId: 'a', fileIndex: 0 }

/** HTTP responses of storages, up to the headers and bytes that are sent to the consumer. */
export default target({
  inputs: fc.record({
    file: fc.nat({ max: files.length - 1 }),
    responses: fc.array(mutated<unknown>(fc.constantFrom<Answer>(HONEST, PART, ...OTHERS)), {
      minLength: 1,
      maxLength: 3,
    }),
    head: fc.boolean(),
  }),
  async read({ file, responses, head }) {
    const stored = registry.file(files[file % files.length])
    const asking = { signal: new AbortController().signal, budget: 'paid' } as const
    answers.splice(0, answers.length, ...responses.map(wellFormed))
    const described = await stored.describe(asking)
    const length = described.contentLength
    holds(length === undefined || Number.isFinite(length), 'a length is a number')
    answers.splice(0, answers.length, ...responses.map(wellFormed))
    const opened = withSealedTag(await stored.open({ ...asking, method: head ? 'HEAD' : 'GET', headers: {} }), TAGGED)
    for (const [name, value] of Object.entries(opened.headers)) {
      validateHeaderName(name)
      validateHeaderValue(name, value)
    }
    validateHeaderValue('x', contentDisposition(opened.name, fallbackName(0, opened.headers['content-type'])))
    let size = 0
    // a transfer may fail: then the consumer's connection is closed
    await (async () => {
      for await (const chunk of opened.body) size += (chunk as Buffer).length
    })().catch(() => undefined)
    holds(size < 1_000_000, 'a body is not longer than its chunks')
  },
})

/** A response as the HTTP parser returns it: header values are latin1 without control characters. */
function wellFormed(value: unknown): Answer {
  const { status, headers, chunks } = Object(value) as Partial<Record<keyof Answer, unknown>>
  const clean = (text: unknown) =>
    String(text)
      .replace(/[^\t\x20-\x7e\x80-\xff]/g, '?')
      .slice(0, 16_000)
  const named = Object.entries(Object(headers) as object).filter(([name]) => /^[a-z-]+$/.test(name))
  return {
    status:
      Number.isInteger(status) && (status as number) >= 200 && (status as number) < 600 ? (status as number) : 200,
    headers: Object.fromEntries(
      named.slice(0, 50).map(([name, one]) => [name, Array.isArray(one) ? one.slice(0, 3).map(clean) : clean(one)]),
    ),
    chunks: (Array.isArray(chunks) ? chunks : [])
      .slice(0, 50)
      .map((size) => (Number.isInteger(size) ? Math.min(Math.max(size, 0), 10_000) : 1)),
  }
}
