import type { operations } from './openapi.js'

type JsonOf<R> = R extends { content: { 'application/json': infer Body } } ? Body : never

/** The successful response of an operation, by the provider's OpenAPI description. */
export type Answer<Operation extends keyof operations> = operations[Operation]['responses'] extends { 200: infer R }
  ? JsonOf<R>
  : never
