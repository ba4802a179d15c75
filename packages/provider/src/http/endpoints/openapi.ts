import { ERROR_CATALOGUE, type ErrorCode } from '@tidegate/protocol'
import type { Operator } from '@tidegate/protocol/operator'
import type { z } from 'zod'
import { packageVersion } from '../../version.js'
import { FRAMEWORK_ERRORS, STATUS } from '../errors.js'
import { type EndpointDoc, fieldDoc, type JsonSchema, namedSchemas, object } from './docs.js'
import type { Endpoint } from './endpoint.js'
import { ERROR, VALIDATION_ERROR } from './schemas/errors.js'

/** Returns the OpenAPI 3.1 document from the endpoints' validators and descriptions. */
export function openApiDocument(endpoints: readonly Endpoint[], operator: Operator = {}): Record<string, unknown> {
  const paths: Record<string, Record<string, unknown>> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replace(/:(\w+)\??/g, '{$1}')
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(endpoint) }
    if (endpoint.doc.head) paths[path].head = headOperation(endpoint)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tidegate',
      version: packageVersion(),
      summary: 'Data access provider',
      description:
        'Encrypts file locations, quotes and verifies datatoken orders, and streams the files. Parameters are taken from the query or, where there is a JSON body, from the body; the query wins.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      ...operatorInfo(operator),
    },
    servers: [{ url: '/' }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    security: [{}],
    paths,
    components: {
      securitySchemes: {
        AuthToken: { type: 'apiKey', in: 'header', name: 'AuthToken' },
        Bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
      schemas: namedSchemas(),
    },
  }
}

function operatorInfo({ name, url, contact, terms }: Operator) {
  const reach =
    contact === undefined ? {} : contact.includes('@') && !URL.canParse(contact) ? { email: contact } : { url: contact }
  const who = { ...(name ? { name } : {}), ...(url ? { url } : {}), ...reach }
  return { ...(terms ? { termsOfService: terms } : {}), ...(Object.keys(who).length > 0 ? { contact: who } : {}) }
}

/** Describes HEAD: the GET operation without bodies. */
function headOperation(endpoint: Endpoint): Record<string, unknown> {
  const get = operation(endpoint)
  const responses = Object.entries(get.responses as Record<string, { description: string }>)
  return {
    ...get,
    operationId: `${get.operationId}Head`,
    summary: `${endpoint.doc.summary}: headers only`,
    responses: Object.fromEntries(responses.map(([status, { description }]) => [status, { description }])),
  }
}

/** The groups of endpoints. */
const TAGS = {
  Service: 'Encryption, quotes, downloads and links',
  Assets: 'Documents of assets, and searches',
  'Auth tokens': 'Tokens, which replace signatures',
  Uploads: 'Files that the provider hosts',
  Catalogue: 'Public pages and their descriptions for machines',
  Operation: 'Discovery, status and health',
}

/** Returns the tag that groups an endpoint. */
function tagOf(path: string): keyof typeof TAGS {
  if (path.includes('/aquarius/')) return 'Assets'
  if (/token/i.test(path)) return 'Auth tokens'
  if (/\/(uploads|public)\b/.test(path)) return 'Uploads'
  if (/^\/(asset\/|catalogue|api\/catalogue|sitemap|robots)/.test(path)) return 'Catalogue'
  return /^\/$|directCommand|status$|live$|ready$/.test(path) ? 'Operation' : 'Service'
}

function operation({ doc, method, path, names }: Endpoint): Record<string, unknown> {
  return {
    operationId: doc.operationId ?? names[0],
    tags: [tagOf(path)],
    summary: doc.summary,
    description: doc.description,
    parameters: [
      ...parameters(doc.path, 'path'),
      ...(doc.body === 'json' ? [] : parameters(doc.params, 'query', doc.token)),
      ...headerParameters(doc),
    ],
    ...(doc.body ? { requestBody: requestBody(doc) } : {}),
    ...(doc.token ? { security: [{}, { AuthToken: [] }, { Bearer: [] }] } : {}),
    responses: { ...errorResponses(doc, method), ...doc.responses },
  }
}

/** Parameters that an auth token replaces. */
const PROOF_NAMES = new Set(['nonce', 'signature'])

function parameters(shape: z.ZodRawShape | undefined, where: 'query' | 'path', token?: boolean) {
  return Object.entries(shape ?? {}).map(([name, field]) => {
    const { schema, description, example, required } = fieldDoc(field as z.ZodType)
    const needed = where === 'path' || (required && !(token && PROOF_NAMES.has(name)))
    // in a query, an object is encoded as JSON text
    const encoded = where === 'query' && name === 'userdata' ? { type: 'string' } : schema
    const encodedExample = typeof example === 'object' ? JSON.stringify(example) : example
    return { name, in: where, required: needed, description, schema: encoded, example: encodedExample }
  })
}

function headerParameters({ headers = {} }: EndpointDoc) {
  const schema = { type: 'string' }
  return Object.entries(headers).map(([name, description]) => ({ name, in: 'header', description, schema }))
}

function requestBody({ body, params, token, bodySchema }: EndpointDoc): Record<string, unknown> {
  if (body !== 'json' && body) {
    const { contentType, schema, description } = body
    return { required: true, description, content: { [contentType]: { schema } } }
  }
  const properties: Record<string, JsonSchema> = {}
  const optional: string[] = []
  for (const [name, field] of Object.entries(params ?? {})) {
    const { schema, description, example, required } = fieldDoc(field as z.ZodType)
    properties[name] = { ...schema, description, examples: [example] }
    if (!required || (token && PROOF_NAMES.has(name))) optional.push(name)
  }
  const schema = { ...object(properties, optional), ...bodySchema }
  return { required: true, content: { 'application/json': { schema } } }
}

/** Returns error responses by status: the common ones, and those of the endpoint. */
function errorResponses({ errors = [], params, body, responses }: EndpointDoc, method: string) {
  const codes = new Map<number, string[]>()
  const add = (status: number, code: string) => codes.set(status, [...(codes.get(status) ?? []), code])
  for (const code of [...errors, 'STATE_UNAVAILABLE'] as ErrorCode[]) add(STATUS[ERROR_CATALOGUE[code].kind], code)
  const framework = Object.values(FRAMEWORK_ERRORS).filter(([status]) => !responses[status])
  for (const [status, code] of framework) if (method !== 'GET' || status < 413) add(status, code)
  add(500, 'INTERNAL')
  const documented = [...codes]
    .sort(([a], [b]) => a - b)
    .map(([status, list]) => {
      const validated = status === 400 && (params || body)
      const schema = validated ? { anyOf: [VALIDATION_ERROR, ERROR] } : ERROR
      const description = `One of: ${[...(validated ? ['VALIDATION'] : []), ...new Set(list)].join(', ')}.`
      return [status, { description, content: { 'application/json': { schema } } }]
    })
  return Object.fromEntries(documented) as Record<number, unknown>
}
