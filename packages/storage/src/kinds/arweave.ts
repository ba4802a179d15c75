import * as z from 'zod'
import { httpStorage } from '../http/http-storage.js'
import type { Storage } from '../storage.js'
import type { StorageTools } from './tools.js'

const arweaveFile = z.object({
  type: z.literal('arweave'),
  // 32 bytes in base64url without padding: no characters that could change the path
  transactionId: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be an Arweave transaction id of 43 characters'),
})

export type ArweaveFile = z.infer<typeof arweaveFile>

/** Creates the storage for Arweave transactions, which tries the configured gateways in order. */
export function arweaveStorage({ egress, gateways }: StorageTools): Storage<ArweaveFile> {
  return httpStorage(
    {
      type: 'arweave',
      schema: arweaveFile,
      namedByUrl: false,
      requests: ({ transactionId }) =>
        gateways.arweave.map((gateway) => ({ url: `${gateway}/${transactionId}`, method: 'GET' })),
    },
    egress,
  )
}
