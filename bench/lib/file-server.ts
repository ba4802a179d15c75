import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// The storage: `/N` serves a file of N bytes from memory.

const BLOCK = Buffer.alloc(1 << 20, 'tide')

const server = createServer(({ url = '', method }, response) => {
  const size = Number(url.slice(1))
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': size, etag: `"${size}"` })
  if (method === 'HEAD') return void response.end()
  let left = size
  const write = () => {
    while (left > BLOCK.length) {
      left -= BLOCK.length
      if (!response.write(BLOCK)) return void response.once('drain', write)
    }
    response.end(BLOCK.subarray(0, left))
  }
  write()
})
// an idle connection that ends as it is used again breaks the plain proxy, which does not retry
server.keepAliveTimeout = 0
// all consumers of a benchmark may come at once: a connection without a place loses a second
server.listen({ port: 0, host: '127.0.0.1', backlog: 16_384 }, () => {
  process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
