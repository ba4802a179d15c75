import { z } from 'zod'
import { openService } from '../../access/service.js'
import { BOUNDS } from '../../bounds.js'
import { type DescribedFile, describeFile } from '../../storage/describing.js'
import { STORAGE_TYPES, type StoredFile } from '../../storage/registry.js'
import type { Asking } from '../../storage/storage.js'
import { safeName } from '../disposition.js'
import { type JsonSchema, json, object } from '../docs.js'
import { type Endpoint, PREFIX } from '../endpoint.js'
import { described, flag, readParams, sentParams, text, whole } from '../params.js'
import { userdata } from '../userdata.js'

const values = described(
  userdata,
  'Values for the storage of a storage object that is sent. For a published asset they go to no storage without an order.',
)
const options = z.object({ checksum: flag.optional(), fileIndex: whole.optional(), userdata: values.optional() })
const published = z.object({ did: text, serviceId: text })

/** One entry of the answer. Lengths are in bytes, as decimal text. */
const FILE: JsonSchema = object(
  {
    index: { type: 'integer' },
    valid: { type: 'boolean' },
    type: { type: 'string' },
    contentLength: { type: 'string', pattern: '^[0-9]+$' },
    contentType: { type: 'string' },
    filename: { type: 'string' },
    checksum: { type: 'string', description: 'Hex of the SHA-256, where asked for and the file is small enough.' },
    checksumType: { const: 'sha256' },
  },
  ['contentLength', 'contentType', 'filename', 'checksum', 'checksumType'],
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
      'Size, type and validity of the files of a published service (did, serviceId), or of one storage object sent as the body. A file that cannot be had is valid: false in a 200. Without an order a published file is only looked at: what would run a POST, a statement on a database or a query with variables is described from its descriptor, and what was found out is given again for a minute.',
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
    errors: ['DID_NOT_RESOLVED', 'UNKNOWN_SERVICE', 'FILES_UNREADABLE', 'NO_SUCH_FILE', 'ASSET_NOT_CONSUMABLE'],
  },
  register(app, context) {
    const bodyLimit = Math.min(BOUNDS.body.fileinfo, context.settings.MAX_BODY_SIZE)
    app.post(this.path, { bodyLimit }, async (request, reply) => {
      const { checksum = false, fileIndex, userdata: sentValues } = readParams(options, request)
      const { settings, storages, anonymous, descriptions } = context
      const signal = request.lifetime.deadline(settings.DESCRIBE_TIMEOUT)
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
        const asking: Asking = { signal, budget: 'anonymous', userdata: sentValues }
        return [entry(0, file, true, await inTime(describeFile(file, wanted, asking), signal))]
      }
      const { did, serviceId } = readParams(published, request)
      const opened = await openService(context, did, serviceId)
      const chosen =
        fileIndex === undefined
          ? opened.files().map((file, index) => ({ file, index }))
          : [{ file: opened.file(fileIndex), index: fileIndex }]
      return inTurns(chosen, async ({ file, index }) => {
        assertBytesLeft(file)
        const one = { did: opened.asset.ddo.id, serviceId: opened.service.id, index, files: opened.service.files, file }
        const described = await inTime(descriptions.of(one, wanted, signal), signal)
        return entry(index, file, settings.EXPOSE_FILENAME, described)
      })
    })
  },
}

/** A description, which is that of a file that cannot be had where the deadline has passed. */
function inTime(described: Promise<DescribedFile>, signal: AbortSignal): Promise<DescribedFile> {
  return described.catch((error: unknown) => {
    if (signal.aborted) return { valid: false }
    throw error
  })
}

/** One entry of the answer. `named`: whether the file name may be told. */
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

async function inTurns<T, R>(items: T[], look: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const { inFlight } = BOUNDS.describing
  for (let at = 0; at < items.length; at += inFlight)
    results.push(...(await Promise.all(items.slice(at, at + inFlight).map(look))))
  return results
}
