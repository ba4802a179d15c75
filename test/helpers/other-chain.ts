import { jsonBody, type StorageServer } from './storage-server.js'

interface Call {
  id: number
}

/** Serves, beside the files of a storage, a node that says that it is on chain 1. Answers its URL. */
export function otherChain(storage: StorageServer): string {
  return storage.on('/chain-1', async (request, response) => {
    const asked = await jsonBody<Call | Call[]>(request)
    const answered = ({ id }: Call) => ({ jsonrpc: '2.0', id, result: '0x1' })
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(Array.isArray(asked) ? asked.map(answered) : answered(asked)))
  })
}
