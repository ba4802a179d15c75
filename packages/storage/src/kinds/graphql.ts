import type { Readable } from 'node:stream'
import { StorageError } from '@tidegate/protocol'
import * as z from 'zod'
import { discard } from '../egress/egress.js'
import { descriptorHeaders, fileUrl } from '../http/descriptor.js'
import { httpStorage } from '../http/http-storage.js'
import { peeked } from '../http/peeked.js'
import { STORAGE_LIMITS } from '../limits.js'
import type { Storage } from '../storage.js'
import { GraphqlAnswer } from './graphql/answer.js'
import type { StorageTools } from './tools.js'

const graphqlFile = z.object({
  type: z.literal('graphql'),
  url: fileUrl,
  query: z
    .string()
    .min(1, 'must not be empty')
    .max(STORAGE_LIMITS.files.query, `must not be longer than ${STORAGE_LIMITS.files.query} characters`),
  headers: descriptorHeaders,
})

export type GraphqlFile = z.infer<typeof graphqlFile>

/**
 * Matches a document that may be a mutation or subscription, or may take variables. GraphQL has no escapes in names, so it
 * misses none.
 */
const MORE_THAN_A_QUERY = /\b(?:mutation|subscription)\b|\$/

/** Creates the storage for results of the publisher's GraphQL queries. Userdata becomes the variables. */
export function graphqlStorage({ egress }: StorageTools): Storage<GraphqlFile> {
  return httpStorage(
    {
      type: 'graphql',
      schema: graphqlFile,
      namedByUrl: false,
      checked: withData,
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

/** Returns the body of an answer with data. Throws StorageError if it has none. */
async function withData(answer: Readable): Promise<Readable> {
  const judged = new GraphqlAnswer()
  let bytes = 0
  const body = await peeked(answer, (chunk) => {
    bytes += chunk.length
    return judged.take(chunk) || bytes > STORAGE_LIMITS.graphql.beforeData
  })
  if (judged.isFile) return body
  discard(body)
  throw new StorageError('STORAGE_REFUSED', 'The storage of this file answered the query with errors, and no data.')
}
