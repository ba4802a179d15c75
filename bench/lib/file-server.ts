import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

// The storage: `/N` is a file of N bytes, from memory.

const BLOCK = Buffer.alloc(1 << 20, 'tide')

createServer(({ url = '', method }, response) => {
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
}).listen(0, '127.0.0.1', function (this: import('node:http').Server) {
  process.send?.({ url: `http://127.0.0.1:${(this.address() as AddressInfo).port}` })
})
