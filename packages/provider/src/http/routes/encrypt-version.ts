import { PROTOCOL_LIMITS } from '@tidegate/protocol'
import type { FastifyRequest } from 'fastify'
import { assertFilesVersion, assertUpdater, withPresentFiles } from '../../access/files/present-files.js'
import { publishedService } from '../../access/service.js'
import { modernMessage } from '../../auth/signature.js'
import { consumerParams, PROOF, proveConsumer } from '../endpoints/consumer.js'
import { type Endpoint, PREFIX, withRawBody } from '../endpoints/endpoint.js'
import { withNonce } from '../endpoints/nonce-use.js'
import { policyServer } from '../endpoints/object-params.js'
import { address, described, text } from '../endpoints/params.js'
import { admitEncryption, ENCRYPTED, ENCRYPTION_REFUSALS, encryptedHex, FILES_BODY, octets } from './encrypt.js'

const params = {
  documentId: described(text, 'DID of the asset.', 'did:op:0000'),
  serviceId: text,
  consumerAddress: described(address, 'Address that may change the metadata of the asset.'),
  filesVersion: described(
    text,
    'The last 64 characters of the present encrypted files of the service. If they are others by now, nothing is encrypted.',
  ).optional(),
  policyServer: policyServer.optional(),
}

const BODY = {
  ...FILES_BODY,
  description:
    'The files object of the new files. Its field present changes single present files, each by its index: {"index": 0, "remove": true}, or with name, file or both.',
}

/** Encrypts a new version of a service's files that keeps the present ones. Discloses nothing about them. */
export const encryptVersion: Endpoint<'last'> = {
  names: ['encryptVersion'],
  method: 'POST',
  path: `${PREFIX}/encrypt/version`,
  nonce: 'last',
  doc: {
    summary: 'Encrypt new files with the present ones',
    description:
      'Encrypts a files object with the present files of its service after its own, so that a publisher can keep them without knowing their locations. For accounts that may change the metadata of the asset (updateMetadata of its data NFT). Signed over consumerAddress + nonce + "encryptVersion". The field present of the body removes, renames and replaces single present files. A present file whose name is taken moves into the folder old, old 2, ….',
    token: true,
    params: { ...params, ...PROOF },
    body: BODY,
    responses: ENCRYPTED,
    errors: [
      'BAD_CONTENT_TYPE',
      'EMPTY_BODY',
      'DID_NOT_RESOLVED',
      'UNKNOWN_SERVICE',
      'ASSET_NOT_CONSUMABLE',
      'UPDATER_DENIED',
      'FILES_CHANGED',
      'FILES_UNREADABLE',
      'FILES_IN_DATATOKEN',
      'PROVIDER_KEY_MISSING',
      ...ENCRYPTION_REFUSALS,
      'CHAIN_UNAVAILABLE',
    ],
  },
  register(app, services) {
    const { settings, access, uploads } = services
    const read = consumerParams(params, settings)
    const bodyLimit = Math.min(PROTOCOL_LIMITS.filesObject.size, settings.MAX_BODY_SIZE)
    withRawBody(app, (scope) => {
      const handler = withNonce(this.nonce, async (request, reply, nonces) => {
        const body = octets(request)
        const sent = read({ query: request.query, headers: request.headers, body: undefined } as FastifyRequest)
        const { documentId, serviceId, consumerAddress, filesVersion } = sent.params
        const opened = await publishedService(access, documentId, serviceId)
        const { chain } = opened.asset
        const messages = (nonce: string) => [modernMessage(consumerAddress.text, nonce, 'encryptVersion')]
        const updater = await proveConsumer(sent, consumerAddress, messages, chain, services, nonces)
        await assertUpdater(opened, updater.address)
        assertFilesVersion(opened, filesVersion)
        await admitEncryption(updater, chain, access, sent.params.policyServer)
        // the size of this work is the choice of the publisher: no signature pays for it twice
        return async () => {
          const hex = await encryptedHex(chain, withPresentFiles(access, opened, body), uploads.hosting)
          reply.code(201).type('text/plain')
          return hex
        }
      })
      scope.post(this.path, { bodyLimit }, handler)
    })
  },
}
