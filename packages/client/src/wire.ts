import type { operations } from './openapi.js'

type JsonOf<R> = R extends { content: { 'application/json': infer Body } } ? Body : never

/** What the provider answers to an operation that succeeds, as its description in OpenAPI says. */
export type Answer<Operation extends keyof operations> = operations[Operation]['responses'] extends { 200: infer R }
  ? JsonOf<R>
  : never
