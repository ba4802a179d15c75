import { notFound, PUBLIC_PATH } from '@tidegate/hosting'
import { type HostedFile, openHosted, safeName } from '@tidegate/storage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from '../../endpoints/endpoint.js'
import { described, text } from '../../endpoints/params.js'
import { cutIfWithheld } from '../../files/cut-if-withheld.js'
import { fallbackName } from '../../files/disposition.js'
import { FILE_REQUEST_HEADERS, FILE_RESPONSES } from '../../files/file-docs.js'
import { registerFileRoute } from '../../files/file-route.js'
import { hostingOf } from '../../files/uploader.js'

/** Caches keep a file for ten minutes, as its publisher may delete it. No browser runs anything in it. */
const PUBLIC_HEADERS = {
  'cache-control': 'public, max-age=600',
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
}

const CONDITIONS = ['range', 'if-range', 'if-none-match']

/** Sends a public file to anybody. */
export const publicFile: Endpoint = {
  names: [],
  method: 'GET',
  path: `${PUBLIC_PATH}/:id/:name?`,
  nonce: 'none',
  anonymous: true,
  doc: {
    operationId: 'getPublicFile',
    summary: 'Read a public file',
    description:
      'Sends a hosted file whose upload was public. Needs no order and no signature. Another name than that of the file is not found; without a name, the file is sent as well.',
    path: {
      id: described(text, 'Id of the file.', 'x'.repeat(43)),
      name: described(text, 'Name of the file.', 'terms.md'),
    },
    head: true,
    headers: FILE_REQUEST_HEADERS,
    responses: FILE_RESPONSES,
    errors: ['HOSTING_OFF', 'UPLOAD_NOT_FOUND', 'PURGATORY', 'TAKEN_DOWN', 'STORAGE_REFUSED'],
  },
  register(app, { access, uploads, anonymous, downloads }) {
    registerFileRoute(
      app,
      this.path,
      async (request: FastifyRequest, reply: FastifyReply) => {
        const { id, name } = request.params as { id: string; name?: string }
        const hosting = hostingOf(uploads)
        const file = await hosting.findPublic(id)
        if (!file || (name !== undefined && name !== nameOf(file))) throw notFound()
        const check = () => access.withheld.assertPublic(id, hosting.uses)
        cutIfWithheld(reply, access.withheld, check)
        await check()
        anonymous.assertBytesLeft(request)
        const method = request.method === 'HEAD' ? 'HEAD' : 'GET'
        const sent = CONDITIONS.map((name) => [name, request.headers[name]])
        const headers = Object.fromEntries(sent.filter(([, value]) => value !== undefined))
        const opened = await openHosted(file, { method, headers, signal: request.lifetime.signal })
        const onEnd = ({ bytes }: { bytes: number }) => anonymous.spend(request, bytes)
        return downloads.sendPublic(request, reply, opened, { headers: PUBLIC_HEADERS, onEnd })
      },
      'public',
    )
  },
}

/** Returns the path of a public file, which ends with its name. */
export function publicPath(id: string, file: Pick<HostedFile, 'name' | 'contentType'>): string {
  return `${PUBLIC_PATH}/${id}/${encodeURIComponent(nameOf(file))}`
}

function nameOf({ name, contentType }: Pick<HostedFile, 'name' | 'contentType'>): string {
  return safeName(name ?? '') || fallbackName(0, contentType)
}
