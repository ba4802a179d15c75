import { z } from 'zod'
import { descriptorHeaders, fileUrl } from './descriptor.js'
import { httpStorage } from './http-storage.js'
import type { Storage, StorageTools } from './storage.js'

const graphqlFile = z.object({
  type: z.literal('graphql'),
  url: fileUrl,
  query: z.string().min(1, 'must not be empty').max(65_536, 'must not be longer than 65536 characters'),
  headers: descriptorHeaders,
})

export type GraphqlFile = z.infer<typeof graphqlFile>

/**
 * A document that is more than a query of its own: it may change something, or takes variables. Names cannot be escaped
 * in this language, so looking for them anywhere errs on the safe side alone.
 */
const MORE_THAN_A_QUERY = /\b(?:mutation|subscription)\b|\$/

/** The answer of a GraphQL server to a query of the publisher. Userdata becomes the variables of the query. */
export function graphqlStorage({ egress }: StorageTools): Storage<GraphqlFile> {
  return httpStorage(
    {
      type: 'graphql',
      schema: graphqlFile as unknown as z.ZodType<GraphqlFile>,
      named: false,
      outline: ({ query }) =>
        MORE_THAN_A_QUERY.test(query) ? { valid: true, contentType: 'application/json' } : undefined,
      requests: ({ url, query, headers }, userdata) => [
        {
          url,
          method: 'POST',
          headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
          secret: new Set(Object.keys(headers)),
          body: JSON.stringify({ query, ...(userdata ? { variables: userdata } : {}) }),
        },
      ],
    },
    egress,
  )
}
