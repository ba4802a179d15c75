import { describe, expect, it } from 'vitest'
import { StorageServer } from '../../../../test/helpers/storage-server.js'
import { WebhookSender } from '../../src/webhooks/webhook-sender.js'

/** Limits that do not slow the tests down. */
const LIMITS = { deadline: 300, answer: 1000 }

describe('the sender of webhooks', () => {
  it('bounds what a receiver costs that is silent, endless, slow or elsewhere (threat 148)', async () => {
    const server = await StorageServer.start()
    let written = 0
    const url = {
      silent: server.on('/silent', () => undefined),
      gone: server.on('/gone', (request) => request.socket.destroy()),
      redirecting: server.on('/redirecting', (_, response) =>
        response.writeHead(307, { location: `${server.origin}/other` }).end(),
      ),
      refusing: server.on('/refusing', (_, response) => response.writeHead(400).end('secret')),
      endless: server.on('/endless', (_, response) => {
        const write = (): void => {
          while (!response.destroyed && response.write('x'.repeat(10_000))) written += 10_000
        }
        response.writeHead(200).on('drain', write)
        write()
      }),
      slow: server.on('/slow', (_, response) => void response.writeHead(200).write('x')),
    }
    const sent = async (at: keyof typeof url) => {
      const sender = new WebhookSender(url[at], ['s'.repeat(32)], LIMITS)
      const outcome = await sender.send('{}').then(
        () => 'taken',
        (error: Error) => error.message,
      )
      await sender.close()
      return outcome
    }
    expect(await sent('silent')).toBe('did not answer in time')
    expect(await sent('gone')).toMatch(/^closes the connection/)
    expect(await sent('redirecting')).toBe('redirects (status 307), and redirects are not followed')
    expect(await sent('refusing')).toBe('answered 400')
    // the status is the acknowledgement, whatever follows
    expect([await sent('endless'), await sent('slow')]).toEqual(['taken', 'taken'])
    expect(written).toBeLessThan(20_000_000)
    expect(server.seen('/other')).toEqual([])
  })
})
