import { FILE_PROBLEMS, type FileProblem, PROTOCOL_LIMITS } from '@tidegate/protocol'
import {
  type DescribedFile,
  describeFile,
  inBatches,
  type RequestContext,
  STORAGE_TYPES,
  type StoredFile,
  safeName,
} from '@tidegate/storage'
import * as z from 'zod'
import { openService } from '../../access/service.js'
import { type JsonSchema, json, object } from '../endpoints/docs.js'
import { type Endpoint, PREFIX } from '../endpoints/endpoint.js'
import { described, flag, readParams, sentParams, text, whole } from '../endpoints/params.js'
import { userdata } from '../endpoints/userdata.js'
import type { RequestDeadline } from '../lifetime.js'

const values = described(
  userdata,
  'Values for the storage, if a storage object is sent. Without an order, those for a published asset are not forwarded.',
)
const options = z.object({ checksum: flag.optional(), fileIndex: whole.optional(), userdata: values.optional() })
const published = z.object({ did: text, serviceId: text })

/** One entry of the response. Lengths are in bytes, as decimal text. */
const FILE: JsonSchema = object(
  {
    index: { type: 'integer' },
    valid: { type: 'boolean' },
    type: { type: 'string' },
    contentLength: { type: 'string', pattern: '^[0-9]+$' },
    contentType: { type: 'string' },
    filename: { type: 'string' },
    checksum: { type: 'string', description: 'SHA-256 as hex, if requested and the file is small enough.' },
    checksumType: { const: 'sha256' },
    reason: {
      enum: [...FILE_PROBLEMS],
      description: 'Why a storage object that the caller sent is not valid.',
    },
  },
  ['contentLength', 'contentType', 'filename', 'checksum', 'checksumType', 'reason'],
)

/** Describes the files of a published service, or one storage object that the caller sends. */
export const fileinfo: Endpoint = {
  names: ['fileinfo'],
  method: 'POST',
  path: `${PREFIX}/fileinfo`,
  anonymous: true,
  doc: {
    summary: 'Describe files',
    description:
      'Size, type and validity of the files of a published service (did, serviceId), or of one storage object sent as the body. A file that is not available is valid: false in a 200, and so is a published one whose descriptor is not understood; for a storage object that the caller sends, reason says why. Without an order a published file is only probed: one that needs a POST, a database statement or a query with variables is described from its descriptor. Results are cached for a minute.',
    params: { ...published.partial().shape, ...options.shape },
    body: 'json',
    bodySchema: {
      anyOf: [
        { type: 'object', required: ['did', 'serviceId'] },
        { type: 'object', required: ['type'], properties: { type: { enum: STORAGE_TYPES } } },
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
      'PROVIDER_KEY_MISSING',
      'NO_SUCH_FILE',
      'ASSET_NOT_CONSUMABLE',
    ],
  },
  register(app, context) {
    const bodyLimit = Math.min(PROTOCOL_LIMITS.body.fileinfo, context.settings.MAX_BODY_SIZE)
    app.post(this.path, { bodyLimit }, async (request, reply) => {
      const { checksum = false, fileIndex, userdata: sentValues } = readParams(options, request)
      const { settings, storages, anonymous, descriptions } = context
      const deadline = request.lifetime.deadline(settings.DESCRIBE_TIMEOUT)
      const wanted = {
        checksumBelow: checksum ? settings.MAX_CHECKSUM_LENGTH : undefined,
        spend: (bytes: number) => anonymous.spend(request, bytes),
      }
      const assertBytesLeft = (file: StoredFile) => {
        if (checksum || file.describesByReading) anonymous.assertBytesLeft(request, reply)
      }
      const sent = sentParams(request)
      if (sent.did === undefined && sent.type !== undefined) {
        const file = storages.file(sent)
        assertBytesLeft(file)
        const probe: RequestContext = { signal: deadline.signal, budget: 'anonymous', userdata: sentValues }
        const described = await inTime(describeFile(file, wanted, probe), deadline)
        return [{ ...entry(0, file, true, described), ...(described.valid ? {} : { reason: reasonFor(described) }) }]
      }
      const { did, serviceId } = readParams(published, request)
      const opened = await openService(context, did, serviceId)
      const chosen =
        fileIndex === undefined
          ? opened.files().map((file, index) => ({ file, index }))
          : [{ file: opened.file(fileIndex), index: fileIndex }]
      return inBatches(chosen, async ({ file, index }) => {
        assertBytesLeft(file)
        const about = { did: opened.asset.ddo.id, serviceId: opened.service.id }
        const publishedFile = { ...about, index, files: opened.service.files, file }
        const described = await inTime(descriptions.get(publishedFile, wanted, deadline), deadline)
        // only the operator may learn the fault of a secret location
        if (!described.valid) {
          const { upstreamStatus } = described
          request.log.info({ ...about, index, reason: reasonFor(described), upstreamStatus }, 'file is not valid')
        }
        return entry(index, file, settings.EXPOSE_FILENAME, described)
      })
    })
  },
}

/** Resolves with the description, or with that of an unavailable file once the deadline has passed. */
function inTime(described: Promise<DescribedFile>, deadline: RequestDeadline): Promise<DescribedFile> {
  return described.catch((error: unknown) => {
    if (deadline.aborted) return { valid: false, reason: 'timeout' }
    throw error
  })
}

function reasonFor({ reason = 'failed' }: DescribedFile): FileProblem {
  return reason
}

/** Returns one entry of the response. `named`: whether it may contain the file name. */
function entry(index: number, { type }: StoredFile, named: boolean, described: DescribedFile): Record<string, unknown> {
  const { valid, contentLength, contentType, name, checksum } = described
  if (!valid) return { index, valid, type }
  return {
    index,
    valid,
    type,
    ...(contentLength === undefined ? {} : { contentLength: String(contentLength) }),
    contentType: contentType ?? 'application/octet-stream',
    ...(named && type === 'url' && name ? { filename: safeName(name) } : {}),
    ...(checksum ? { checksum, checksumType: 'sha256' } : {}),
  }
}
