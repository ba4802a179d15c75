import { RequestError } from '@tidegate/protocol'
import { SECONDS } from '@tidegate/protocol/constants'
import { matchesIfNoneMatch } from '@tidegate/storage'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Console } from '../../console/console.js'
import { type Coding, type ConsoleFile, PAGE } from '../../console/files.js'
import { preferred, varyBy } from './accept.js'
import { consoleHeaders } from './headers.js'

/** Path of the configuration, below the console. */
const CONFIG = 'config.json'

/**
 * Serves the console from memory: its page at /console/ and at every path below without an extension, its files, and its
 * configuration.
 */
export function serveConsole(app: FastifyInstance, served: Console | undefined): void {
  if (!served) return
  const headers = consoleHeaders(served.facts)
  app.get('/console', (request, reply) => {
    reply.headers(headers)
    const [path = '', query] = request.url.split('?')
    if (path.endsWith('/')) return send(request, reply, served.files.get(PAGE) as ConsoleFile)
    return reply.redirect(served.path + (query === undefined ? '' : `?${query}`), 301)
  })
  app.get<{ Params: { '*': string } }>('/console/*', (request, reply) => {
    reply.headers(headers)
    const path = request.params['*']
    if (path === CONFIG) return reply.header('cache-control', 'no-cache').send(served.facts)
    const file = served.files.get(path)
    if (file) return send(request, reply, file)
    // the page resolves its own paths, but no path of a file
    if (/\.[^/]*$|(^|\/)\.\.?\//.test(path) || /^assets(\/|$)/.test(path))
      throw new RequestError('ROUTE_NOT_FOUND', 'The console has no such file.')
    return send(request, reply, served.files.get(PAGE) as ConsoleFile)
  })
}

function send(request: FastifyRequest, reply: FastifyReply, file: ConsoleFile): FastifyReply {
  const { contentType, hash, immutable, content } = file
  reply.header('cache-control', immutable ? `public, max-age=${SECONDS.year}, immutable` : 'no-cache')
  varyBy(reply, 'Accept-Encoding')
  const coding = codingFor(request.headers['accept-encoding'], content)
  const etag = coding === 'identity' ? `"${hash}"` : `"${hash}-${coding}"`
  reply.header('etag', etag)
  if (matchesIfNoneMatch(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (coding !== 'identity') reply.header('content-encoding', coding)
  return reply.type(contentType).send(content.get(coding))
}

/** Returns the smallest coding that the client accepts; the uncompressed file if it accepts none or sends no header. */
function codingFor(header: string | undefined, content: ConsoleFile['content']): Coding {
  if (header === undefined) return 'identity'
  const patterns = (coding: Coding) => [coding, '*']
  return preferred(header, [...content.keys()], patterns) ?? 'identity'
}
