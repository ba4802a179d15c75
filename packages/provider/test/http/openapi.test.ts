import { beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { ask } from '../../../../test/helpers/requests.js'
import { World } from '../../../../test/helpers/world.js'
import { fieldDoc } from '../../src/http/endpoints/docs.js'
import { nonce } from '../../src/http/endpoints/params.js'
import { ALL_ENDPOINTS } from '../../src/http/server.js'

interface Operation {
  responses: Record<string, { description: string }>
  parameters: { name: string; description: string; example?: unknown }[]
}

describe('the OpenAPI description', () => {
  let world: World
  let spec: { openapi: string; paths: Record<string, Record<string, Operation>> }
  beforeAll(async () => {
    world = await World.start({ MCP: 'on', PURCHASES: 'on', POLICY_SERVER_URL: 'http://127.0.0.1:9' })
    spec = (await ask(`${world.network.providerUrl}/spec`)).json as unknown as typeof spec
  })

  it('is OpenAPI 3.1, the same at /openapi.json, with a page to browse', async () => {
    expect(spec.openapi).toBe('3.1.0')
    expect((await ask(`${world.network.providerUrl}/openapi.json`)).json).toEqual(spec)
    const page = await ask(`${world.network.providerUrl}/api/docs`)
    expect(page.headers.get('content-type')).toMatch(/^text\/html/)
    expect(page.text).toContain('Tidegate API')
  })

  it('has a page whose files all load, and which a browser keeps', async () => {
    const page = `${world.network.providerUrl}/api/docs`
    const { text, headers } = await ask(page)
    expect(headers.get('content-security-policy')).toContain("default-src 'self'")
    const files = [...text.matchAll(/(?:src|href)="\.?(\/?[^"#]+)"/g)].map(
      ([, path]) => new URL(path as string, `${page}/`),
    )
    expect(files.length).toBeGreaterThan(3)
    for (const { pathname, origin } of files) expect((await ask(origin + pathname)).status, pathname).toBe(200)
    const bundle = `${page}/static/swagger-ui-bundle.js`
    const etag = (await ask(bundle)).headers.get('etag') as string
    expect(await ask(bundle, { headers: { 'if-none-match': etag } })).toMatchObject({ status: 304, text: '' })
    expect(await ask(bundle, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })

  it('has no page that is not of Swagger UI', async () => {
    for (const path of [
      '/nothing',
      '/static/nothing.js',
      '/static/%2e%2e/package.json',
      '/static/..%2fpackage.json',
      '/%00',
    ]) {
      const { status, json } = await ask(`${world.network.providerUrl}/api/docs${path}`)
      expect({ status, json }, path).toMatchObject({ status: 404, json: { code: 'ROUTE_NOT_FOUND' } })
    }
    expect((await ask(`${world.network.providerUrl}/api/docs`, { method: 'POST' })).status).toBe(405)
  })

  it('has every route that the server has', () => {
    const described = Object.entries(spec.paths).flatMap(([path, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
    )
    const { server } = world.local.app
    for (const one of described) {
      const [method, path] = one.split(' ') as [string, string]
      expect(server.hasRoute({ method: method as 'GET', url: path.replace(/\{(\w+)\}/g, ':$1') }), one).toBe(true)
    }
    expect(described.filter((one) => !one.startsWith('HEAD'))).toHaveLength(ALL_ENDPOINTS.length)
  })

  it('lists every endpoint that the root document names', async () => {
    const { serviceEndpoints } = (await ask(world.network.providerUrl)).json as {
      serviceEndpoints: Record<string, [string, string]>
    }
    for (const [method, path] of Object.values(serviceEndpoints))
      expect(spec.paths[path]).toHaveProperty(method.toLowerCase())
    expect(Object.keys(serviceEndpoints).sort()).toEqual([
      'PolicyServerPassthrough',
      'createAuthToken',
      'create_auth_token',
      'decrypt',
      'deleteAuthToken',
      'delete_auth_token',
      'directCommand',
      'download',
      'downloadLink',
      'encrypt',
      'encryptVersion',
      'fileinfo',
      'generateAuthToken',
      'initialize',
      'initializePSVerification',
      'invalidateAuthToken',
      'nonce',
      'purchase',
      'uploads',
    ])
  })

  it('describes every parameter and response, with examples that its own validator accepts', () => {
    for (const { doc, path } of ALL_ENDPOINTS) {
      for (const [name, field] of Object.entries({ ...doc.params, ...doc.path }) as [string, z.ZodType][]) {
        const { description, example } = fieldDoc(field)
        expect(description.length, `${path} ${name}`).toBeGreaterThan(3)
        const validator = name === 'nonce' ? nonce(1000) : field
        expect(validator.safeParse(example), `${path} ${name}`).toMatchObject({ success: true })
      }
    }
    for (const operations of Object.values(spec.paths))
      for (const { responses } of Object.values(operations)) {
        expect(Object.keys(responses)).toEqual(expect.arrayContaining(['500', '503']))
        for (const { description } of Object.values(responses)) expect(description).toBeTruthy()
      }
  })
})
