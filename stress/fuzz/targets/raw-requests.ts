import { connect } from 'node:net'
import fc from 'fast-check'
import { DDO_4 } from '../lib/honest.js'
import { mutatedBytes } from '../lib/mutate.js'
import { startService } from '../lib/service.js'
import { holds, target } from '../lib/target.js'

const { hostname, port } = new URL(await startService())
const BODY = JSON.stringify({ did: DDO_4.id, serviceId: 'tide-access' })
const REQUESTS = [
  'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n',
  `GET /api/services/nonce?userAddress=0x${'11'.repeat(20)} HTTP/1.1\r\nHost: a\r\nRange: bytes=0-1\r\nConnection: close\r\n\r\n`,
  `POST /api/services/fileinfo HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`,
  `POST /api/services/decrypt HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
].map((text) => Buffer.from(text) as Uint8Array)

/** Bytes on a connection: pipelined, truncated or malformed requests. */
export default target({
  runs: 60,
  replayVerbatim: true,
  inputs: fc.array(fc.oneof(fc.constantFrom(...REQUESTS), mutatedBytes(fc.constantFrom(...REQUESTS))), {
    minLength: 1,
    maxLength: 4,
  }),
  async read(sent) {
    const response = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(Number(port), hostname)
      const timer = setTimeout(() => socket.destroy(), 300)
      socket.on('data', (chunk) => {
        text += chunk.toString('latin1')
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        clearTimeout(timer)
        resolve(text)
      })
      socket.end(Buffer.concat(sent))
    })
    holds(response === '' || response.startsWith('HTTP/1.1 '), `a response is HTTP: ${response.slice(0, 100)}`)
    const failed = /^HTTP\/1\.1 5(?!02|03)\d\d/m.exec(response)
    holds(!failed, `no bytes cause a server error: ${response.slice(0, 300)}`)
  },
})
