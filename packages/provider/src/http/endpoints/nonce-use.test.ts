import type { FastifyReply, FastifyRequest } from 'fastify'
import { describe, expect, it } from 'vitest'
import type { SignedConsumer } from '../../auth/authenticate.js'
import { ALL_ENDPOINTS } from '../server.js'
import { type NonceTime, withNonce } from './nonce-use.js'

const ADDRESS = '0xe2DD09d719Da89e5a3D0F2549c7E24566e947260'

describe('a route that takes signatures', () => {
  /** What happened, in order. */
  function rig(isUsed = false) {
    const events: string[] = []
    const signed: SignedConsumer = {
      consumer: { address: ADDRESS },
      async consumeNonce() {
        if (isUsed) throw new Error('used')
        events.push('consumed')
      },
    }
    return { events, signed }
  }
  const call = (handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>) =>
    handler({} as FastifyRequest, {} as FastifyReply)

  it('consumes the nonce at once if it says first, also if the request is refused (threat 120)', async () => {
    const { events, signed } = rig()
    const handler = withNonce('first', async (_request, _reply, nonces) => {
      expect(nonces.isFirst).toBe(true)
      expect(await nonces.take(signed)).toEqual({ address: ADDRESS })
      events.push('refused')
      throw new Error('refused')
    })
    await expect(call(handler)).rejects.toThrow('refused')
    expect(events).toEqual(['consumed', 'refused'])
  })

  it('consumes the nonce between its checks and its work if it says last, and none if a check refuses', async () => {
    const { events, signed } = rig()
    const handler = (isRefused: boolean) =>
      withNonce('last', async (_request, _reply, nonces) => {
        await nonces.take(signed)
        if (isRefused) throw new Error('refused')
        events.push('checked')
        return async () => {
          events.push('worked')
          return 'done'
        }
      })
    await expect(call(handler(true))).rejects.toThrow('refused')
    expect(events).toEqual([])
    expect(await call(handler(false))).toBe('done')
    expect(events).toEqual(['checked', 'consumed', 'worked'])
  })

  it('does no work if the nonce is used, and spares it if the request only reads', async () => {
    const { events, signed } = rig(true)
    const handler = (isRead: boolean) =>
      withNonce('last', async (_request, _reply, nonces) => {
        await nonces.take(signed)
        if (isRead) nonces.spare()
        return async () => void events.push('worked')
      })
    await expect(call(handler(false))).rejects.toThrow('used')
    expect(events).toEqual([])
    await call(handler(true))
    expect(events).toEqual(['worked'])
  })

  it('says when: every endpoint with a signature, and no other one', () => {
    const times: Record<string, NonceTime> = {}
    for (const { method, path, nonce, doc } of ALL_ENDPOINTS) {
      expect('signature' in (doc.params ?? {}) || path.endsWith('/ddo/validate'), `${method} ${path}`).toBe(
        nonce !== 'none',
      )
      times[`${method} ${path}`] = nonce
    }
    expect(times).toMatchObject({ 'GET /api/services/download': 'last', 'POST /api/services/decrypt': 'first' })
  })
})
