import { createHash, randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { jsonBody, type StorageServer } from './storage-server.js'

type Json = Record<string, unknown>

/** A question that the policy server got. */
export interface Asked {
  headers: IncomingHttpHeaders
  body: Json & { action: string }
}

/** What it answers. */
interface Said {
  status: number
  body: unknown
}

const said = (status: number, message: unknown): Said => ({
  status,
  body: { success: status === 200, message, httpStatus: status },
})

/** The presentation that this policy server accepts. */
export const VALID = 'eyJhbGciOiJFUzI1NiJ9.valid'

/**
 * A policy server that answers as policy-server 1.3.2 with walt.id does: a session belongs to one consumer, asset and service,
 * passes with a valid presentation, and is asked for with each download. It records every question.
 */
export class PolicyServerHere {
  readonly url: string
  readonly asked: Asked[] = []
  /** Replaces the next answers. */
  instead: ((request: IncomingMessage, response: ServerResponse) => void) | undefined
  /** Sessions, with the result of what was presented in them. */
  private readonly verified = new Map<string, boolean | undefined>()

  constructor(
    server: StorageServer,
    readonly apiKey: string,
  ) {
    this.url = server.on('/policy', async (request, response) => {
      const body = await jsonBody<Asked['body']>(request)
      this.asked.push({ headers: request.headers, body })
      if (this.instead) return this.instead(request, response)
      const { status, body: answer } =
        request.headers['x-api-key'] === apiKey ? this.answer(body) : said(401, 'Unauthorized')
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
    })
  }

  /** The questions of an action so far. */
  of(action: string): Json[] {
    return this.asked.filter(({ body }) => body.action === action).map(({ body }) => body)
  }

  private answer(question: Asked['body']): Said {
    const { action, sessionId, vp_token: presented } = question
    if (action === 'initiate') return this.initiate(question)
    if (action === 'download') return this.download(question)
    if (action === 'encrypt' || action === 'validateDDO') return said(200, '')
    if (typeof sessionId !== 'string' || sessionId === '') return said(400, 'Request body does not contain sessionId')
    if (action === 'getPD') return said(200, { id: sessionId, input_descriptors: [{ id: 'Degree' }] })
    if (action === 'checkSessionId') return this.session(sessionId)
    this.verified.set(sessionId, presented === VALID)
    const redirectUri = `https://wallet.example/${presented === VALID ? 'success' : 'error'}?id=${sessionId}`
    return said(presented === VALID ? 200 : 400, { redirectUri, sessionId })
  }

  private initiate(question: Json): Said {
    const sessionId = `${contextOf(question)}-${randomBytes(32).toString('hex')}`
    this.verified.set(sessionId, undefined)
    const redirectUri = `openid4vp://authorize?state=${sessionId}&presentation_definition_uri=https%3A%2F%2Fpolicy.example%2Fpd%2F${sessionId}`
    return said(200, { sessionId, redirectUri })
  }

  private download(question: Json): Said {
    const { sessionId } = (question.policyServer ?? {}) as { sessionId?: unknown }
    if (typeof sessionId !== 'string' || sessionId === '') return said(400, 'Request body does not contain sessionId')
    const redirectUri = `https://wallet.example/error?id=${sessionId}`
    if (sessionId.split('-')[0] !== contextOf(question))
      return said(403, { redirectUri, error: 'Access denied: different requester or different asset/service.' })
    return this.session(sessionId)
  }

  private session(id: string): Said {
    if (!this.verified.has(id)) return said(404, { error: 'Unknown session' })
    const verificationResult = this.verified.get(id)
    return said(verificationResult ? 200 : 500, { id, verificationResult })
  }
}

/** What a session is for. */
function contextOf({ consumerAddress, documentId, serviceId }: Json): string {
  return createHash('sha256').update(`${consumerAddress}:${documentId}:${serviceId}`).digest('hex')
}
