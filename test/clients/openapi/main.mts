import type { components, operations } from './api.js'

/** Searches, reads a document and downloads a file by the generated types. Arguments: provider, token, parameters. */
const [provider = '', token = '', parameters = '{}'] = process.argv.slice(2)
const headers = { AuthToken: token, 'content-type': 'application/json' }

type Answer<Operation extends keyof operations> = operations[Operation]['responses'] extends {
  200: { content: { 'application/json': infer Body } }
}
  ? Body
  : never

async function answered<Operation extends keyof operations>(path: string, body?: object): Promise<Answer<Operation>> {
  const sent = body && { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(provider + path, { headers, ...sent })
  const answer: unknown = await response.json()
  if (response.ok) return answer as Answer<Operation>
  throw new Error((answer as components['schemas']['Error']).code)
}

const order: operations['download']['parameters']['query'] = JSON.parse(parameters)
const search: components['schemas']['Search'] = { query: { match: { 'metadata.name': 'tide' } }, size: 5 }
const { hits } = await answered<'searchAssets'>('/api/aquarius/assets/query', search)
const asset = await answered<'getAsset'>(`/api/aquarius/assets/ddo/${order.documentId}`)
const { documentId, serviceId, consumerAddress } = order
const asked = new URLSearchParams({ documentId, serviceId, consumerAddress })
const quote = await answered<'initialize'>(`/api/services/initialize?${asked}`)
if ('validOrder' in quote) throw new Error('No order was sent.')
const query = new URLSearchParams(Object.entries(order).map(([name, value]): [string, string] => [name, `${value}`]))
const file: operations['download']['responses'][200]['content']['application/octet-stream'] = await (
  await fetch(`${provider}/api/services/download?${query}`, { headers })
).text()
const unknown: components['schemas']['Error']['code'] = 'ASSET_NOT_FOUND'
const refusal = await answered<'getAsset'>(`/api/aquarius/assets/ddo/did:op:${'0'.repeat(64)}`).catch(String)
if (refusal !== `Error: ${unknown}`) throw new Error(`unexpected: ${refusal}`)
console.log(
  JSON.stringify({
    found: hits.hits.map(({ _source }) => _source?.id),
    datatoken: asset.services?.[0]?.datatokenAddress,
    quoted: quote.datatoken,
    file,
  }),
)
