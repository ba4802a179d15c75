import type { ErrorCode } from '@tidegate/protocol'
import * as z from 'zod'

/** A JSON Schema in the dialect of OpenAPI 3.1. */
export type JsonSchema = Record<string, unknown>

/** The description of a parameter. `example` must pass its validator. */
export interface FieldDoc {
  schema: JsonSchema
  description: string
  example: unknown
}

/** Filled while the endpoint modules load, then only read. */
const fieldDocs = z.registry<FieldDoc>()

/** Attaches a description to a validator. */
export function documented<T extends z.ZodType>(field: T, doc: FieldDoc): T {
  fieldDocs.add(field, doc)
  return field
}

/** Returns the description of a required or optional validator. Throws if it has none. */
export function fieldDoc(field: z.ZodType): FieldDoc & { required: boolean } {
  if (field instanceof z.ZodOptional) return { ...fieldDoc(field.unwrap() as z.ZodType), required: false }
  const doc = fieldDocs.get(field)
  if (!doc) throw new Error('A parameter has no description.')
  return { ...doc, required: true }
}

/** Filled while the endpoint modules load, then only read. */
const schemas = new Map<string, JsonSchema>()

/** Adds a schema to the components of the API description. Returns the reference to it. */
export function named(name: string, schema: JsonSchema): JsonSchema {
  if (schemas.has(name)) throw new Error(`Two schemas have the name ${name}.`)
  schemas.set(name, schema)
  return { $ref: `#/components/schemas/${name}` }
}

/** Returns the schemas of the components by name, in alphabetic order. */
export function namedSchemas(): Record<string, JsonSchema> {
  return Object.fromEntries([...schemas].sort(([a], [b]) => (a < b ? -1 : 1)))
}

export interface ResponseDoc {
  description: string
  /** Schema of the body by media type. Absent without a body. */
  content?: Record<string, { schema: JsonSchema; example?: unknown }>
  headers?: Record<string, { description: string; schema: JsonSchema }>
}

/** The API description of an endpoint. */
export interface EndpointDoc {
  /** Name of the method in generated clients. Default: the first name in the root document. */
  operationId?: string
  summary: string
  description: string
  /** Parameters of the query; with body 'json', of the body. */
  params?: z.ZodRawShape
  /** Parameters in the path. */
  path?: z.ZodRawShape
  /** The request body. 'json': the parameters are in it. */
  body?: 'json' | { contentType: string; schema: JsonSchema; description: string }
  /** Schema keywords that are merged into the derived schema. */
  bodySchema?: JsonSchema
  /** Request headers by name, with their descriptions. */
  headers?: Record<string, string>
  /** Whether the endpoint supports HEAD. */
  head?: boolean
  /** Whether an auth token may replace nonce and signature. */
  token?: boolean
  responses: Record<number, ResponseDoc>
  /** Error codes specific to this endpoint. */
  errors?: readonly ErrorCode[]
}

/** Describes a response with a JSON body. */
export function json(description: string, schema: JsonSchema, example?: unknown): ResponseDoc {
  return { description, content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } }
}

/** Returns an object schema. Every property not in `optional` is required. */
export function object(properties: Record<string, JsonSchema>, optional: string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

/** Bytes of a body. */
export const BINARY: JsonSchema = { type: 'string', format: 'binary' }
export const ADDRESS: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }
export const HEX: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]*$' }
