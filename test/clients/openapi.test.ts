import { execFile } from 'node:child_process'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import openapiTS, { astToString } from 'openapi-typescript'
import { beforeAll, describe, expect, it } from 'vitest'
import { ROOT } from '../helpers/built.js'
import { newFolder } from '../helpers/cleanup.js'
import { type Api, answerCheck } from '../helpers/openapi.js'
import { openapiPython } from '../helpers/python.js'
import { type Answer, ask, askJson, freshNonce, signText } from '../helpers/requests.js'
import { World } from '../helpers/world.js'

const SOURCE = readFileSync(join(ROOT, 'docs', 'openapi.json'), 'utf8')
const programs = fileURLToPath(new URL('openapi', import.meta.url))
const run = promisify(execFile)
const python = openapiPython()

describe('docs/openapi.json', () => {
  const folder = newFolder()
  const content = 'a,b\n1,2\n'
  let world: World
  let order: Record<string, string>
  let token: string
  let expected: Record<string, unknown>
  beforeAll(async () => {
    world = await World.start({ MCP: 'on' })
    const { asset, buyer, txId } = await world.sold(world.storage.file('/tides.csv', Buffer.from(content)))
    const { datatokenAddress, id: serviceId } = asset.ddo.services[0] as { datatokenAddress: string; id: string }
    const names = { documentId: asset.did, serviceId, consumerAddress: buyer.address }
    order = { ...names, transferTxId: txId, fileIndex: '0' }
    const nonce = freshNonce()
    const proof = { address: buyer.address, nonce, signature: await signText(buyer, buyer.address + nonce) }
    token = (await askJson(`${world.network.providerUrl}/api/services/auth/token`, proof)).json.token as string
    expected = { found: [asset.did], datatoken: datatokenAddress, quoted: datatokenAddress, file: content }
  })

  it('has no errors and no warnings of a linter, and no empty schemas', async () => {
    const examples = ['schema', 'parameter', 'media-type'].map((kind) => [`no-invalid-${kind}-examples`, 'error'])
    const rules = Object.fromEntries(examples)
    const config = await createConfig({ extends: ['recommended-strict'], rules })
    const problems = await lintFromString({ source: SOURCE, absoluteRef: '/openapi.json', config })
    expect(problems.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
    expect(SOURCE).not.toMatch(/"(schema|items)": \{\}|\{\s+"type": "object"\s+\}/)
  })

  it('generates types for TypeScript whose client searches, reads, quotes and downloads', async () => {
    writeFileSync(join(folder, 'api.d.ts'), astToString(await openapiTS(SOURCE)))
    copyFileSync(join(programs, 'main.mts'), join(folder, 'main.mts'))
    const packages = join(ROOT, 'node_modules')
    const compilerOptions = { strict: true, target: 'ES2023', module: 'NodeNext', types: ['node'] }
    const options = { ...compilerOptions, typeRoots: [join(packages, '@types')], skipLibCheck: true }
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, files: ['main.mts'] }))
    await run(process.execPath, [join(packages, 'typescript-native', 'bin', 'tsc'), '-p', '.'], { cwd: folder })
    const args = ['main.mjs', world.network.providerUrl, token, JSON.stringify(order)]
    const { stdout } = await run(process.execPath, args, { cwd: folder })
    expect(JSON.parse(stdout)).toEqual(expected)
  })

  it.skipIf(!python)('generates a client for Python that searches, reads, quotes and downloads', async () => {
    const settings = 'post_hooks: []\nproject_name_override: tidegate-api\npackage_name_override: tidegate_api\n'
    writeFileSync(join(folder, 'config.yml'), settings)
    const from = ['--path', join(ROOT, 'docs', 'openapi.json'), '--config', 'config.yml']
    const generate = [
      '-m',
      'openapi_python_client',
      'generate',
      ...from,
      '--output-path',
      'tidegate_api',
      '--meta',
      'none',
    ]
    const { stdout: told, stderr } = await run(python as string, generate, { cwd: folder })
    // it knows no XML, which only crawlers and feed readers read
    const unknown = [
      '/asset/{did}.atom',
      '/catalogue.atom',
      '/seller/{address}.atom',
      '/sitemap-{page}.xml',
      '/sitemap.xml',
    ]
    expect([...(told + stderr).matchAll(/WARNING parsing GET (\S+) /g)].map(([, path]) => path).sort()).toEqual(unknown)
    const args = [join(programs, 'main.py'), world.network.providerUrl, token, JSON.stringify(order)]
    const { stdout } = await run(python as string, args, { cwd: folder, env: { ...process.env, PYTHONPATH: folder } })
    expect(JSON.parse(stdout)).toEqual({ ...expected, documents: expected.found })
  })

  it('describes the real answers of the service', async () => {
    const check = answerCheck(JSON.parse(SOURCE) as Api)
    const { documentId: did = '', serviceId, consumerAddress = '' } = order
    const headers = { AuthToken: token }
    const quoted = { documentId: did, serviceId: serviceId as string, consumerAddress }
    const get = (path: string, { query = {}, url = path }: { query?: Record<string, string>; url?: string } = {}) =>
      sent('get', path, ask(`${world.network.providerUrl}${url}?${new URLSearchParams(query)}`, { headers }))
    const post = (path: string, body: unknown) =>
      sent('post', path, askJson(world.network.providerUrl + path, body, { headers }))
    const sent = async (method: string, path: string, asked: Promise<Answer>) => {
      const answer = await asked
      check(method, path, answer)
      return answer
    }
    const one = (path: string, name: string) => get(path, { url: path.replace('{did}', name) })
    const everything = { query: { match_all: {} }, size: 5 }
    const orders = { index: 'order', query: { term: { 'consumer.keyword': consumerAddress } }, size: 5 }
    const answers = await Promise.all([
      get('/'),
      ...['/live', '/ready', '/api/services/status'].map((path) => get(path)),
      get('/api/services/nonce', { query: { userAddress: consumerAddress } }),
      get('/api/services/initialize', { query: quoted }),
      get('/api/services/initialize', { query: { ...quoted, transferTxId: order.transferTxId as string } }),
      get('/api/aquarius/assets/hidden', { query: { owner: consumerAddress } }),
      ...['ddo', 'metadata'].map((part) => one(`/api/aquarius/assets/${part}/{did}`, did)),
      post('/api/services/fileinfo', { did, serviceId, checksum: true }),
      post('/api/services/fileinfo', { type: 'url', url: `${world.storage.origin}/none`, method: 'GET' }),
      post('/api/services/download/link', order),
      post('/api/aquarius/assets/names', { didList: [did] }),
      post('/api/aquarius/assets/query', { ...everything, aggs: { tags: { terms: { field: 'metadata.tags' } } } }),
      post('/api/aquarius/assets/query', { ...everything, _source: ['metadata.name'] }),
      ...[everything, { ...everything, index: 'op_ddo_v4.1.0' }, { ...everything, index: 'op_ddo_v5.0.0' }, orders].map(
        (body) => post('/api/aquarius/assets/metadata/query', body),
      ),
      post('/directCommand', { command: 'status' }),
      post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    ])
    expect(answers.flatMap(({ status, text }) => (status < 300 ? [] : [status, text]))).toEqual([])
    const refused = await Promise.all([
      one('/api/aquarius/assets/ddo/{did}', `did:op:${'0'.repeat(64)}`),
      get('/api/services/initialize', { query: { documentId: did } }),
      get('/api/services/download', { query: { ...order, fileIndex: '9' } }),
      post('/api/aquarius/assets/query', { query: { unheard: {} } }),
    ])
    expect(refused.map(({ status }) => status)).toEqual([404, 400, 400, 400])
    expect(() => check('get', '/', refused[0] as Answer)).toThrow()
  })
})
