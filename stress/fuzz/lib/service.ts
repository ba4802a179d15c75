import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encrypt } from '../../../packages/protocol/src/crypto/ecies.js'
import { providerKey, signDigest } from '../../../packages/protocol/src/crypto/keys.js'
import { createApp } from '../../../packages/provider/src/app.js'
import { messageDigests } from '../../../packages/provider/src/auth/signature.js'
import { loadSettings } from '../../../packages/provider/src/config/load.js'
import { CHAIN_ID, DATATOKEN, DDO_4, KEY, NFT, TX } from './honest.js'
import { FACTORY } from './logs.js'
import { SECRET } from './target.js'

/** The account that signs requests. */
export const CALLER = providerKey(`0x${'77'.repeat(32)}`)
const OCEAN = '0x282d8efCe846A88B159800bd4130ad77443Fa1A1'

/** Starts a JSON-RPC node that responds to each method with its entry in `results`, and returns its URL. */
export async function fakeNode(results: () => Record<string, unknown>): Promise<URL> {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    type Call = { id: number; method: string }
    const calls = JSON.parse(body) as Call | Call[]
    const respond = ({ id, method }: Call) => ({ jsonrpc: '2.0', id, result: results()[method] })
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(Array.isArray(calls) ? calls.map(respond) : respond(calls)))
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
}

/** Starts the service over a node without transactions, with one asset in its index, and returns its base URL. */
export async function startService(): Promise<string> {
  const results = { eth_chainId: `0x${CHAIN_ID.toString(16)}`, eth_blockNumber: '0x5', eth_call: '0x' }
  const node = await fakeNode(() => ({ eth_getTransactionReceipt: null, eth_getLogs: [], ...results }))
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-fuzz-service-'))
  const addresses = { development: { chainId: CHAIN_ID, ERC721Factory: FACTORY, Ocean: OCEAN, startBlock: 0 } }
  writeFileSync(join(folder, 'address.json'), JSON.stringify(addresses))
  const unlimited = {
    RATE_LIMIT_REQUESTS: '0',
    ANONYMOUS_REQUESTS: '0',
    MAX_ANONYMOUS: '1000',
    MAX_ANONYMOUS_PER_ADDRESS: '0',
  }
  const app = await createApp(
    loadSettings({
      ...{ NETWORK_URL: node.href, PROVIDER_PRIVATE_KEY: '11'.repeat(32), ADDRESS_FILE: join(folder, 'address.json') },
      ...{ STATE_DIR: folder, LOG_LEVEL: 'silent', ORDER_WAIT: '0', STORAGE_CONNECT_TIMEOUT: '200' },
      ...unlimited,
    }),
  )
  await publish(app.context.store.index)
  return app.server.listen({ host: '127.0.0.1', port: 0 })
}

async function publish(index: Awaited<ReturnType<typeof createApp>>['context']['store']['index']): Promise<void> {
  const file = { type: 'url', url: `https://files.invalid/${SECRET}`, method: 'GET', headers: { 'x-key': SECRET } }
  const own = { nftAddress: NFT, datatokenAddress: DATATOKEN, files: [file] }
  const files = `0x${encrypt(KEY.publicKey, Buffer.from(JSON.stringify(own))).toString('hex')}`
  const ddo = JSON.stringify({
    ...DDO_4,
    services: DDO_4.services.map((service) => ({ ...service, files })),
    credentials: null,
  })
  const owner = CALLER.address
  const nft = { address: NFT, name: 'x', symbol: 'X', tokenUri: '', owner, created: '2026-01-01T00:00:00Z' }
  const metadata = {
    nft: NFT,
    did: DDO_4.id,
    state: 0,
    ddo,
    reason: null,
    encrypted: false,
    txId: TX,
    block: 1,
    from: owner,
    timestamp: 1,
  }
  await index.commit({
    ...{ chainId: CHAIN_ID, from: undefined, to: { block: 1, hash: TX } },
    changes: [
      { kind: 'nft', nft },
      { kind: 'datatoken', datatoken: { address: DATATOKEN, nft: NFT, name: 'a', symbol: 'A' } },
      { kind: 'metadata', metadata },
    ],
  })
}

/** Signs a text as the caller. */
export function signed(text: string): string {
  const { r, s, v } = signDigest(messageDigests(text)[0] as Uint8Array, CALLER)
  return r + s.slice(2) + v.toString(16)
}
