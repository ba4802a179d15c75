import { z } from 'zod'
import { openService } from '../../access/service.js'
import { BOUNDS } from '../../bounds.js'
import type { Context } from '../../context.js'
import { checksumOf } from '../../storage/checksum.js'
import { STORAGE_TYPES, type StoredFile } from '../../storage/registry.js'
import type { UserData } from '../../storage/storage.js'
import { safeName } from '../disposition.js'
import { type JsonSchema, json, object } from '../docs.js'
import { type Endpoint, PREFIX } from '../endpoint.js'
import { flag, readParams, sentParams, text, whole } from '../params.js'
import { userdata } from '../userdata.js'

const options = z.object({ checksum: flag.optional(), fileIndex: whole.optional(), userdata: userdata.optional() })
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
  doc: {
    summary: 'Describe files',
    description:
      'Size, type and validity of the files of a published service (did, serviceId), or of one storage object sent as the body. A file that cannot be had is valid: false in a 200.',
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
    app.post(this.path, { bodyLimit }, async (request) => {
      const { checksum = false, fileIndex, userdata: values } = readParams(options, request)
      const { settings, storages } = context
      const sent = sentParams(request)
      if (sent.did === undefined && sent.type !== undefined) {
        return [await describe(storages.file(sent), 0, { checksum, name: true, settings, userdata: values })]
      }
      const { did, serviceId } = readParams(published, request)
      const service = await openService(context, did, serviceId)
      const chosen =
        fileIndex === undefined
          ? service.files().map((file, index) => ({ file, index }))
          : [{ file: service.file(fileIndex), index: fileIndex }]
      const ask = { checksum, name: settings.EXPOSE_FILENAME, settings, userdata: values }
      return inTurns(chosen, ({ file, index }) => describe(file, index, ask))
    })
  },
}

interface Ask {
  checksum: boolean
  /** Whether the file name may be told. */
  name: boolean
  settings: Context['settings']
  userdata?: UserData
}

async function describe(file: StoredFile, index: number, ask: Ask): Promise<Record<string, unknown>> {
  const { valid, contentLength, contentType, name } = await file.describe(ask.userdata)
  if (!valid) return { index, valid, type: file.type }
  const limit = ask.settings.MAX_CHECKSUM_LENGTH
  const small = contentLength === undefined || contentLength < limit
  const sum = ask.checksum && small ? await checksumOf(file, limit, ask.userdata) : undefined
  const length = contentLength ?? sum?.length
  return {
    index,
    valid,
    type: file.type,
    ...(length === undefined ? {} : { contentLength: String(length) }),
    contentType: contentType ?? 'application/octet-stream',
    ...(ask.name && file.type === 'url' && name ? { filename: safeName(name) } : {}),
    ...(sum ? { checksum: sum.checksum, checksumType: 'sha256' } : {}),
  }
}

/** How many files of one list are looked at at once: a list may be long, and one request must not become many. */
const AT_ONCE = 8

async function inTurns<T, R>(items: T[], look: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  for (let at = 0; at < items.length; at += AT_ONCE)
    results.push(...(await Promise.all(items.slice(at, at + AT_ONCE).map(look))))
  return results
}
