import { beforeAll, expect, it } from 'vitest'
import { eventually } from '../../../../test/helpers/eventually.js'
import { ask, askJson, downloadUrl } from '../../../../test/helpers/requests.js'
import { jsonBody, StorageServer } from '../../../../test/helpers/storage-server.js'
import { World } from '../../../../test/helpers/world.js'

interface Span {
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: { key: string; value: Record<string, unknown> }[]
}

let collector: StorageServer
let world: World
let received = ''
const spans: Span[] = []

beforeAll(async () => {
  collector = await StorageServer.start()
  collector.on('/v1/traces', async (request, response) => {
    const body = await jsonBody<{ resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }>(request)
    received += JSON.stringify(body)
    spans.push(...body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans)))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  world = await World.start({ OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/` })
})

it('a download is one trace, from the caller to nodes and storage, without secrets', async () => {
  const { asset, buyer, txId } = await world.sold(world.storage.file('/hidden-place.csv', Buffer.from('tide')))
  const traceId = '0af7651916cd43dd8448eb211c80319c'
  const { text } = await ask(await downloadUrl(world.network.providerUrl, asset, txId, buyer), {
    headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` },
  })
  expect(text).toBe('tide')
  await eventually(() => spans.some((span) => span.traceId === traceId && span.name.startsWith('GET')))
  const own = spans.filter((span) => span.traceId === traceId)
  const request = own.find(({ name }) => name === 'GET /api/services/download')
  expect(request?.parentSpanId).toBe('b7ad6b7169203331')
  const attributes = Object.fromEntries((request?.attributes ?? []).map(({ key, value }) => [key, value]))
  expect(attributes['http.response.status_code']).toEqual({ intValue: 200 })
  expect(own.filter(({ parentSpanId }) => parentSpanId === request?.spanId).map(({ name }) => name)).toEqual(
    expect.arrayContaining(['ask node', 'ask storage']),
  )
  for (const secret of ['hidden-place', asset.did, buyer.address, buyer.address.toLowerCase(), txId])
    expect(received).not.toContain(secret)
})

it('a request whose client leaves before the answer has a span, with status 499', async () => {
  const gone = new AbortController()
  const url = collector.on('/silent', () => gone.abort())
  const asked = askJson(
    `${world.network.providerUrl}/api/services/fileinfo`,
    { type: 'url', url, method: 'GET' },
    { signal: gone.signal },
  )
  await expect(asked).rejects.toThrow()
  const left = () => spans.find(({ name }) => name === 'POST /api/services/fileinfo')
  await eventually(() => left() !== undefined)
  expect(left()?.attributes).toContainEqual({ key: 'http.response.status_code', value: { intValue: 499 } })
})
