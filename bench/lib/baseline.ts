import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import Fastify from 'fastify'

// The baselines: a bare route of the same framework, and a plain proxy of a file.

const app = Fastify()
app.addContentTypeParser('application/octet-stream', { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
app.get('/json', async () => ({ nonce: 1 }))
app.post('/octets', async (_request, reply) => reply.type('text/plain').send('0x04'))
await app.listen({ host: '127.0.0.1', port: 0 })

const storage = new URL(process.argv[2] as string)
const agent = new Agent({ keepAlive: true })
const proxy = createServer((incoming, outgoing) => {
  const { hostname: host, port } = storage
  const upstream = request({ host, port, path: incoming.url, method: incoming.method, agent }, (response) => {
    outgoing.writeHead(response.statusCode ?? 502, response.headers)
    response.pipe(outgoing)
  })
  upstream.on('error', () => outgoing.destroy())
  upstream.end()
})
proxy.listen(0, '127.0.0.1', () => {
  const { port } = proxy.address() as AddressInfo
  process.send?.({ framework: app.listeningOrigin, proxy: `http://127.0.0.1:${port}` })
})
