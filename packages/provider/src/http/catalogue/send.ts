import { createHash } from 'node:crypto'
import { PAGE_POLICY } from '@tidegate/discovery'
import { matchesIfNoneMatch } from '@tidegate/storage'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { PROVIDER_LIMITS } from '../../limits.js'

const HTML_HEADERS = {
  'content-security-policy': PAGE_POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

/** Sends a document that caches may keep for a minute, with a validator. */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  const etag = `W/"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"`
  reply.headers({ etag, 'cache-control': `public, max-age=${PROVIDER_LIMITS.catalogue.maxAge}` })
  return matchesIfNoneMatch(request.headers['if-none-match'], etag) ? reply.code(304).send() : reply.send(text)
}

/** Sends a page. Nothing in it runs. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, text: string): FastifyReply {
  return sendDocument(request, asPage(reply), text)
}

/** Sends the page for something that there is not or that is withheld, which no cache keeps. */
export function sendMissing(reply: FastifyReply, text: string, status: 404 | 451 = 404): FastifyReply {
  return asPage(reply).code(status).header('cache-control', 'no-store').send(text)
}

const asPage = (reply: FastifyReply) => reply.headers(HTML_HEADERS).type('text/html; charset=utf-8')
