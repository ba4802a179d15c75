import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AT_ONCE, eventually } from '../../../../test/helpers/eventually.js'
import { HostileServer } from '../../../../test/helpers/hostile-server.js'
import { UNLIMITED } from '../../../../test/helpers/policy.js'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { testEgress } from '../../../../test/helpers/storage-tools.js'
import type { Egress } from '../../src/egress/egress.js'

const LIMITS = { maxRequests: 8, maxPerHost: 2, queues: true }

describe('requests that wait for a connection to a slow host', () => {
  let slow: HostileServer
  let other: StorageServer
  let egress: Egress
  const requests = new Set<AbortController>()
  beforeAll(async () => {
    // starts to answer, and then stalls
    slow = await HostileServer.start((socket) =>
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1000000\r\n\r\nx')),
    )
    other = await StorageServer.start()
    egress = testEgress({ limits: { ...UNLIMITED.limits, paid: LIMITS } })
  })
  afterAll(async () => {
    for (const request of requests) request.abort()
    await egress.close()
  })

  function begin(url: string) {
    const controller = new AbortController()
    requests.add(controller)
    const answer = egress.request({ url, method: 'GET', headers: {}, signal: controller.signal, budget: 'paid' })
    answer.catch(() => undefined)
    return { answer, leave: () => controller.abort() }
  }

  it('free their slot when they are aborted (threat 25)', async () => {
    const url = `http://127.0.0.1:${slow.port}/file`
    const held = [begin(url), begin(url)]
    await Promise.all(held.map(({ answer }) => answer))
    for (let round = 0; round < 20; round++) {
      const queued = begin(url)
      await eventually(() => egress.inFlight('paid') === 3, AT_ONCE)
      queued.leave()
      await expect(queued.answer).rejects.toMatchObject({ code: 'STORAGE_TIMEOUT' })
      expect(egress.inFlight('paid')).toBe(2)
    }
    const { answer } = begin(other.file('/free', Buffer.alloc(10)).replace('127.0.0.1', 'localhost'))
    expect((await answer).status).toBe(200)
    // a waiting request gets a freed slot
    const next = begin(url)
    held[0]?.leave()
    expect((await next.answer).status).toBe(200)
    held[1]?.leave()
    next.leave()
    await eventually(async () => egress.inFlight('paid') === 0)
  })
})
