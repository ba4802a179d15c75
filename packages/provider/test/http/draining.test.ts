import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import Fastify from 'fastify'
import { expect, it } from 'vitest'
import { TickBatch } from '../../../common/src/tick-batch.js'
import { Draining } from '../../src/http/draining.js'
import { Connections } from '../../src/http/lifetime.js'

const REQUEST = 'POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'

async function listening() {
  const app = Fastify()
  const draining = new Draining(app, new Connections(app), new TickBatch())
  app.post('/', async () => 'answered')
  await app.listen({ port: 0, host: '127.0.0.1' })
  return { draining, port: (app.server.address() as AddressInfo).port }
}

it('answers every connection that the system had made when the service was told to stop', async () => {
  const { draining, port } = await listening()
  // in one turn of the event loop: the system makes all of them before the server has accepted any
  const clients = Array.from({ length: 20 }, () => connect(port, '127.0.0.1').setEncoding('utf8'))
  const answers = Promise.all(clients.map((client) => text(client.end(REQUEST))))
  await draining.close(10_000)
  for (const answer of await answers) expect(answer).toMatch(/^HTTP\/1.1 200 OK\r\n.*answered$/s)
  const late = connect(port, '127.0.0.1')
  expect(await once(late, 'error')).toMatchObject([{ code: 'ECONNREFUSED' }])
})
