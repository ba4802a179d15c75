import { arch, platform, type as systemName } from 'node:os'
import { ValidationError } from '@tidegate/protocol'
import { compressedPublicKey } from '@tidegate/protocol/keys'
import { STORAGE_TYPES } from '@tidegate/storage'
import * as z from 'zod'
import { packageVersion } from '../../version.js'
import { ADDRESS, json, named, object } from '../endpoints/docs.js'
import type { Endpoint } from '../endpoints/endpoint.js'
import { described, readParams, text } from '../endpoints/params.js'
import type { Services } from '../services.js'

const params = z.object({ command: described(text, 'The command. Only `status` is supported.', 'status') })
const CHAIN = { chainId: { type: 'string' }, network: { type: 'string' } }

/** Names of storage kinds in Ocean Node's status, if they differ from `type`. */
const STATUS_NAMES: Record<string, string> = { arweave: 'arwave' }

/** The command route of Ocean Node. Clients ask it for the id that they sign to get a token. */
export const directCommand: Endpoint = {
  names: ['directCommand'],
  method: 'POST',
  path: '/directCommand',
  nonce: 'none',
  anonymous: true,
  doc: {
    summary: 'Status in the form of Ocean Node',
    description:
      'Answers `status`: the id of this provider, which @oceanprotocol/lib 9 signs for a token, its key, chains, index and storage kinds. Every other command is refused.',
    params: params.shape,
    body: 'json',
    responses: {
      200: json(
        'The status.',
        named(
          'NodeStatus',
          object({
            id: { type: 'string', description: 'libp2p peer id of the provider key.' },
            publicKey: { type: 'string', description: 'Compressed public key, as hex without 0x.' },
            address: ADDRESS,
            version: { type: 'string' },
            http: { const: true },
            p2p: { const: false },
            provider: { type: 'array', items: object(CHAIN) },
            indexer: { type: 'array', items: object({ ...CHAIN, block: { type: 'string' } }) },
            supportedStorage: { type: 'object', additionalProperties: { type: 'boolean' } },
            platform: { type: 'object', additionalProperties: { type: 'string' } },
            uptime: { type: 'number', description: 'Seconds since the start.' },
          }),
        ),
      ),
    },
  },
  register(app, services) {
    const fixed = identityOf(services)
    app.post(this.path, async (request) => {
      const { command } = readParams(params, request)
      if (command !== 'status')
        throw ValidationError.of('command', 'The command field must be status: this provider has no other commands.')
      return { ...fixed, indexer: indexerOf(services), uptime: process.uptime() }
    })
  },
}

/** Returns the part of the status that never changes. Load and memory of the machine are not for the public. */
function identityOf({ auth, chains, files }: Services) {
  const { id, key } = auth.identity
  const isServed = (type: string) => files.storages.kind(type) !== undefined
  return {
    id,
    publicKey: Buffer.from(compressedPublicKey(key)).toString('hex'),
    address: key.address,
    version: packageVersion(),
    http: true,
    p2p: false,
    provider: [...chains.values()].map(({ chainId, deployment }) => ({
      chainId: String(chainId),
      network: deployment.network,
    })),
    supportedStorage: Object.fromEntries(STORAGE_TYPES.map((type) => [STATUS_NAMES[type] ?? type, isServed(type)])),
    platform: { arch: arch(), platform: platform(), osType: systemName() },
  }
}

function indexerOf({ catalog, chains }: Services) {
  return catalog.progress().map(({ chainId, block }) => ({
    chainId: String(chainId),
    network: chains.get(chainId)?.deployment.network ?? '',
    block: String(block ?? 0),
  }))
}
