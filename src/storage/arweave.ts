import { z } from 'zod'
import { httpStorage } from './http-storage.js'
import type { Storage, StorageTools } from './storage.js'

const arweaveFile = z.object({
  type: z.literal('arweave'),
  // 32 bytes in base64url without padding: nothing that could change the path
  transactionId: z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be an Arweave transaction id of 43 characters'),
})

export type ArweaveFile = z.infer<typeof arweaveFile>

/** Files of Arweave transactions, from the configured gateways in their order. */
export function arweaveStorage({ egress, gateways }: StorageTools): Storage<ArweaveFile> {
  return httpStorage(
    {
      type: 'arweave',
      schema: arweaveFile,
      named: false,
      requests: ({ transactionId }) =>
        gateways.arweave.map((gateway) => ({ url: `${gateway}/${transactionId}`, method: 'GET' })),
    },
    egress,
  )
}
