import { CHECKSUM_ALGORITHMS } from '@tidegate/hosting'
import { HostingError } from '@tidegate/protocol'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

/** Path of uploads, which are at that path and their ids. */
export const UPLOADS_PATH = '/api/services/uploads'

/** The version of tus that is spoken, and the media type of the bytes of uploads. */
const VERSION = '1.0.0'
const BYTES = 'application/offset+octet-stream'

/** The server's abilities, for clients that ask with OPTIONS. */
const CAPABILITIES = {
  'tus-version': VERSION,
  'tus-resumable': VERSION,
  'tus-extension': 'creation,creation-with-upload,creation-defer-length,concatenation,expiration,termination,checksum',
  'tus-checksum-algorithm': CHECKSUM_ALGORITHMS.join(','),
}

/** In any answer about an upload, also in refusals by limits: the version, and that no cache keeps it. */
const ALWAYS = { 'tus-resumable': VERSION, 'cache-control': 'no-store' }

const METHODS = ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']

/** The request headers that the tus server reads. It would refuse some values of others, which are not for it. */
const READ = [
  'tus-resumable',
  'content-length',
  'upload-length',
  'upload-offset',
  'upload-defer-length',
  'upload-concat',
]

/**
 * Makes the server speak tus 1.0 on the paths of uploads: `X-HTTP-Method-Override` is the method, and answers have the headers
 * of the protocol, up to `maxFile` bytes. Must be called before CORS is registered, which answers OPTIONS.
 */
export function speakTus(app: FastifyInstance, maxFile: number): void {
  // before the router and whatever else looks at the method
  app.server.prependListener('request', overrideMethod)
  app.addHook('onRequest', (request, reply, done) => {
    if (!isUploadUrl(request.url)) return done()
    const isQuestion = request.method === 'OPTIONS'
    reply.headers(isQuestion ? { ...CAPABILITIES, 'tus-max-size': maxFile } : ALWAYS)
    done()
  })
}

/** Hook of routes: refuses what another version of tus sends, and a part of another media type, before anything is done. */
export async function requireTus({ method, headers }: FastifyRequest, reply: FastifyReply): Promise<void> {
  const version = headers['tus-resumable']
  // other clients delete files, too
  const mayLack = method === 'DELETE' && version === undefined
  if (version !== VERSION && !mayLack) {
    reply.header('tus-version', VERSION)
    throw new HostingError('UPLOAD_VERSION', `The Tus-Resumable header must be ${VERSION}.`)
  }
  if (method === 'PATCH' && mediaType(headers['content-type']) !== BYTES)
    throw new HostingError('UPLOAD_TYPE', `The Content-Type header must be ${BYTES}.`)
}

/** Returns the headers of a request for the tus server. */
export function tusHeaders({ headers }: FastifyRequest): Headers {
  const web = new Headers()
  for (const name of READ) if (typeof headers[name] === 'string') web.set(name, headers[name])
  const type = mediaType(headers['content-type'])
  if (type) web.set('content-type', type)
  return web
}

/** The client names the method in a header if something on its way lets only others pass. The actual one is ignored. */
function overrideMethod(raw: FastifyRequest['raw']): void {
  const override = raw.headers['x-http-method-override']
  if (override === undefined || !isUploadUrl(raw.url ?? '')) return
  const method = String(override).trim().toUpperCase()
  // that method has no route: 405
  raw.method = METHODS.includes(method) ? method : 'TRACE'
}

/** As the router matches it: in any case, and with more slashes. */
const UPLOAD_URL = new RegExp(`^${UPLOADS_PATH.replaceAll('/', '/+')}(?:[/?]|$)`, 'i')

function isUploadUrl(url: string): boolean {
  return UPLOAD_URL.test(url)
}

function mediaType(header: string | undefined): string {
  return header?.split(';')[0]?.trim().toLowerCase() ?? ''
}
