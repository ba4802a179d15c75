import { z } from 'zod'
import type { ErrorCode } from '../errors.js'

/** A JSON Schema, as OpenAPI 3.1 uses it. */
export type JsonSchema = Record<string, unknown>

/** What the published description says of a parameter; `example` passes the very validator that it is attached to. */
export interface FieldDoc {
  schema: JsonSchema
  description: string
  example: unknown
}

const fieldDocs = z.registry<FieldDoc>()

/** Attaches its description to a validator, so that both are one thing and stay so. */
export function documented<T extends z.ZodType>(field: T, doc: FieldDoc): T {
  fieldDocs.add(field, doc)
  return field
}

/** The description of a validator, also of an optional one. Throws where somebody forgot it. */
export function fieldDoc(field: z.ZodType): FieldDoc & { required: boolean } {
  if (field instanceof z.ZodOptional) return { ...fieldDoc(field.unwrap() as z.ZodType), required: false }
  const doc = fieldDocs.get(field)
  if (!doc) throw new Error('A parameter has no description.')
  return { ...doc, required: true }
}

export interface ResponseDoc {
  description: string
  /** Media type and schema of the body; none where there is no body. */
  content?: Record<string, { schema: JsonSchema; example?: unknown }>
  headers?: Record<string, { description: string; schema: JsonSchema }>
}

/** What the published description says of an endpoint, beside its parameters. */
export interface EndpointDoc {
  summary: string
  description: string
  /** Parameters, in the query or (where `body` is json) in the body. */
  params?: z.ZodRawShape
  /** Parameters in the path. */
  path?: z.ZodRawShape
  /** The form of the body; json holds the parameters. */
  body?: 'json' | { contentType: string; schema: JsonSchema; description: string }
  /** A body that is more than its parameters, in place of what they would make. */
  bodySchema?: JsonSchema
  /** Request headers that the endpoint reads, with what each is for. */
  headers?: Record<string, string>
  /** Whether HEAD is answered as well. */
  head?: boolean
  /** Whether an auth token may stand for nonce and signature. */
  token?: boolean
  responses: Record<number, ResponseDoc>
  /** Codes of the errors that are this endpoint's own. */
  errors?: readonly ErrorCode[]
}

/** A JSON body. */
export function json(description: string, schema: JsonSchema, example?: unknown): ResponseDoc {
  return { description, content: { 'application/json': { schema, ...(example === undefined ? {} : { example }) } } }
}

/** An object schema whose listed properties are all there, unless named in `optional`. */
export function object(properties: Record<string, JsonSchema>, optional: string[] = []): JsonSchema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

export const ADDRESS: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]{40}$' }
export const HEX: JsonSchema = { type: 'string', pattern: '^0x[0-9a-fA-F]*$' }
