import { FILE_PROBLEMS, PROTOCOL_LIMITS } from '@tidegate/protocol'
import { DEV_CHAIN_ID } from '@tidegate/protocol/networks'
import { inBatches, STORAGE_TYPES, safeName } from '@tidegate/storage'
import type { FastifyRequest } from 'fastify'
import * as z from 'zod'
import { describeAll, describeSent, problemOf, type TypedDescription } from '../../access/files/describe-files.js'
import { openService } from '../../access/service.js'
import { PROVIDER_LIMITS } from '../../limits.js'
import { type JsonSchema, json, named, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { userdata } from '../endpoints/object-params.js'
import { described, flag, readParams, text, whole } from '../endpoints/params.js'
import { boundFiles, sentFiles } from '../endpoints/sent-files.js'

const values = described(
  userdata,
  'Values for the storage, if a storage object is sent. Without an order, those for a published asset are not forwarded.',
)
const options = z.object({
  checksum: flag.optional(),
  fileIndex: whole.optional(),
  userdata: values.optional(),
  chainId: described(whole, 'Chain of a smartcontract object that names none.', DEV_CHAIN_ID).optional(),
})
const published = z.object({ did: text, serviceId: text })

/** An entry of the response. Lengths are decimal text in bytes. */
const FILE: JsonSchema = named(
  'FileInfo',
  object(
    {
      index: { type: 'integer' },
      id: {
        type: 'string',
        pattern: '^[0-9a-f]{32}$',
        description:
          'The same in each version of the asset that has the file, wherever it is in its list and whatever its name; another when it is replaced. For files of a published service.',
      },
      valid: { type: 'boolean' },
      type: { type: 'string' },
      contentLength: { type: 'string', pattern: '^[0-9]+$' },
      contentType: { type: 'string' },
      filename: { type: 'string' },
      name: { type: 'string', description: 'The name that the publisher gave the file: a relative path.' },
      checksum: { type: 'string', description: 'SHA-256 as hex, if requested and the file is small enough.' },
      checksumType: { const: 'sha256' },
      reason: {
        enum: [...FILE_PROBLEMS],
        description: 'Why a storage object that the caller sent is not valid.',
      },
    },
    ['id', 'contentLength', 'contentType', 'filename', 'name', 'checksum', 'checksumType', 'reason'],
  ),
)

const STORAGE_OBJECT: JsonSchema = named('StorageObject', {
  type: 'object',
  required: ['type'],
  properties: { type: { enum: STORAGE_TYPES } },
  additionalProperties: true,
  description: 'A file at its storage: docs/storage.md lists the fields of each type.',
})
const STORAGE_OBJECTS: JsonSchema = { type: 'array', maxItems: PROVIDER_LIMITS.fileinfo.listed, items: STORAGE_OBJECT }

/** Describes the files of a published service, or storage objects that the caller sends. */
export const fileinfo: Endpoint = {
  names: ['fileinfo'],
  method: 'POST',
  path: `${PREFIX}/fileinfo`,
  nonce: 'none',
  anonymous: true,
  doc: {
    summary: 'Describe files',
    description:
      'Size, type and validity of the files of a published service (did, serviceId), or of storage objects sent as the body: one, a list, or {files: list}, each of which counts as a request. A file that is not available is valid: false in a 200, and so is a published one whose descriptor is not understood; for a storage object that the caller sends, reason says why. Without an order a published file is only probed: one that needs a POST, a database statement or a query with variables is described from its descriptor. Results are cached for a minute.',
    params: { ...published.partial().shape, ...options.shape },
    body: 'json',
    bodySchema: {
      anyOf: [
        { type: 'object', required: ['did', 'serviceId'] },
        STORAGE_OBJECT,
        STORAGE_OBJECTS,
        { type: 'object', required: ['files'], properties: { files: STORAGE_OBJECTS } },
      ],
    },
    responses: {
      200: json('One entry for each file.', { type: 'array', items: FILE }, [
        { index: 0, valid: true, type: 'url', contentLength: '1024', contentType: 'text/csv' },
      ]),
    },
    errors: [
      'DID_NOT_RESOLVED',
      'UNKNOWN_SERVICE',
      'FILES_UNREADABLE',
      'FILES_IN_DATATOKEN',
      'PROVIDER_KEY_MISSING',
      'NO_SUCH_FILE',
      'ASSET_NOT_CONSUMABLE',
      'PURGATORY',
      'TAKEN_DOWN',
    ],
  },
  register(app, { settings, chains, access, files, anonymous }) {
    const { storages, descriptions } = files
    const bodyLimit = Math.min(PROTOCOL_LIMITS.body.fileinfo, settings.MAX_BODY_SIZE)
    app.post(this.path, { bodyLimit }, async (request) => {
      const objects = sentFiles(request)
      const { checksum = false, fileIndex, userdata: sentValues, chainId } = readParams(options, withoutList(request))
      const caller = anonymous.caller(request, settings.DESCRIBE_TIMEOUT)
      const checksumBelow = checksum ? settings.MAX_CHECKSUM_LENGTH : undefined
      if (objects) {
        const sent = boundFiles(objects, chainId, { storages, chains })
        anonymous.countMore(request, sent.length - 1)
        const described = await inBatches(sent, (file) =>
          describeSent(file, caller, { checksumBelow, userdata: sentValues }),
        )
        return described.map((one, index) => {
          const reason = one.valid ? {} : { reason: problemOf(one) }
          return { ...entry(index, true, one), ...reason }
        })
      }
      const { did, serviceId } = readParams(published, request)
      const opened = await openService(access, did, serviceId)
      const about = { did: opened.asset.ddo.id, serviceId: opened.service.id }
      const identities = await opened.identities()
      const all = await describeAll(descriptions, opened, fileIndex, caller, { checksumBelow })
      return all.map((described) => {
        // the problem of a secret location is for the operator only
        if (!described.valid) {
          const { index, upstreamStatus } = described
          request.log.info({ ...about, index, reason: problemOf(described), upstreamStatus }, 'file is not valid')
        }
        const { index, ...rest } = entry(described.index, settings.EXPOSE_FILENAME, described)
        return { index, id: identities.of(described.index), ...rest }
      })
    })
  },
}

/** Returns a request whose parameters are those of the query alone, if its body is a list. */
function withoutList(request: FastifyRequest): FastifyRequest {
  const { query, headers, body } = request
  return Array.isArray(body) ? ({ query, headers, body: undefined } as FastifyRequest) : request
}

/** Returns one entry of the response. `tellsName`: whether it may contain the name that the storage suggests. */
function entry(index: number, tellsName: boolean, described: TypedDescription): Record<string, unknown> {
  const { type, valid, contentLength, contentType, name, checksum, publicName } = described
  const named = publicName === undefined ? {} : { name: publicName }
  if (!valid) return { index, valid, type, ...named }
  return {
    index,
    valid,
    type,
    ...(contentLength === undefined ? {} : { contentLength: String(contentLength) }),
    contentType: contentType ?? 'application/octet-stream',
    ...named,
    ...(tellsName && type === 'url' && name ? { filename: safeName(name) } : {}),
    ...(checksum ? { checksum, checksumType: 'sha256' } : {}),
  }
}
