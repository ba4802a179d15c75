import { connect } from 'node:net'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Connections } from '../../src/http/lifetime.js'
import { sendParts } from '../../src/http/parts.js'
import { PROVIDER_LIMITS } from '../../src/limits.js'

const PART = 'x'.repeat(50_000)
const WHOLE = 200_000

describe('a response in parts', () => {
  let app: FastifyInstance
  let base: string
  let sent = 0
  /** Parts that were made for the last request, and whether its generator has ended. */
  let made = 0
  let isOver = false
  beforeAll(async () => {
    // connections that clients keep would hold up its end
    app = fastify({ forceCloseConnections: true })
    new Connections(app)
    app.get<{ Params: { count: string; then: string } }>('/:count/:then', (request, reply) => {
      const { count, then } = request.params
      const parts = async function* () {
        try {
          for (made = 0; made < Number(count); made++) yield PART
          if (then === 'fail') throw new Error('broken')
          yield 'end'
        } finally {
          isOver = true
        }
      }
      ;[sent, isOver] = [0, false]
      reply.header('x-own', 'yes').type('text/plain')
      const onSent = (bytes: number) => {
        sent += bytes
      }
      return sendParts(reply, parts(), { whole: WHOLE, stallTimeout: 60_000, onSent })
    })
    base = await app.listen({ host: '127.0.0.1', port: 0 })
  })
  afterAll(() => app.close())

  it('is sent as a whole if it is short, and fails with a status', async () => {
    const response = await fetch(`${base}/3/end`)
    expect(response.headers.get('content-length')).toBe(String(3 * PART.length + 3))
    expect(await response.text()).toBe(`${PART.repeat(3)}end`)
    expect((await fetch(`${base}/3/fail`)).status).toBe(500)
    expect(sent).toBe(0)
  })

  it('is complete with its headers if it is long', async () => {
    const response = await fetch(`${base}/100/end`)
    expect(response.headers.get('x-own')).toBe('yes')
    expect(await response.text()).toBe(`${PART.repeat(100)}end`)
    expect(sent).toBe(100 * PART.length + 3)
  })

  it('breaks the connection if it fails after its beginning', async () => {
    const response = await fetch(`${base}/100/fail`)
    expect(response.status).toBe(200)
    await expect(response.text()).rejects.toThrow()
  })

  it('makes no more parts than its client reads, and ends with its client', async () => {
    const leaving = new AbortController()
    const response = await fetch(`${base}/100000/end`, { signal: leaving.signal })
    await response.body?.getReader().read()
    leaving.abort()
    while (!isOver) await new Promise(setImmediate)
    // as much as the buffers of both systems hold
    expect(made).toBeLessThan(2000)
  })

  it('is cut off if its client reads a byte now and then', async () => {
    const { http } = PROVIDER_LIMITS as { http: { responsePiece: number } }
    const { responsePiece } = http
    http.responsePiece = 300
    isOver = false
    const trickling = connect(Number(new URL(base).port), '127.0.0.1').on('error', () => undefined)
    try {
      trickling.write('GET /100000/end HTTP/1.1\r\nhost: a\r\n\r\n')
      trickling.pause()
      while (!isOver) {
        trickling.read(1)
        await new Promise(setImmediate)
      }
      expect(made).toBeLessThan(2000)
    } finally {
      http.responsePiece = responsePiece
      trickling.destroy()
    }
  })
})
