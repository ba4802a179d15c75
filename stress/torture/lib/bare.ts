import { connect } from 'node:net'
import type { Received } from './http.js'

/** Sends a request over its own connection, and reads everything, even after the end of the response. */
export async function rawGet(port: number, path: string, authtoken: string): Promise<Received> {
  const raw = await readAll(port, path, authtoken)
  const head = raw.indexOf('\r\n\r\n')
  const [, status] = /^HTTP\/1\.1 (\d+)/.exec(raw.toString('latin1', 0, 20)) ?? []
  if (head < 0 || status === undefined) return { status: 0, headers: {}, body: Buffer.alloc(0), complete: false }
  const lines = raw.toString('latin1', 0, head).split('\r\n').slice(1)
  const headers = Object.fromEntries(lines.map((line) => line.toLowerCase().split(': ')))
  const sent = raw.subarray(head + 4)
  const content = headers['transfer-encoding'] === 'chunked' ? unchunked(sent) : sized(sent, headers)
  return { status: Number(status), headers, ...content }
}

/** Reads all bytes of a connection with one request. */
function readAll(port: number, path: string, authtoken: string): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const lines = [`GET ${path} HTTP/1.1`, 'host: localhost', `authtoken: ${authtoken}`, 'connection: close']
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`))
    socket.setTimeout(30_000, () => socket.destroy())
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(Buffer.concat(chunks)))
  })
}

/** A body with Content-Length, with any bytes after it. */
function sized(sent: Buffer, headers: Record<string, string | undefined>): { body: Buffer; complete: boolean } {
  return { body: sent, complete: sent.length >= Number(headers['content-length']) }
}

/** A chunked body, with any bytes after the last chunk. */
function unchunked(sent: Buffer): { body: Buffer; complete: boolean } {
  const chunks: Buffer[] = []
  for (let at = 0; ; ) {
    const line = sent.indexOf('\r\n', at)
    const size = line < 0 ? Number.NaN : Number.parseInt(sent.toString('latin1', at, line), 16)
    if (Number.isNaN(size)) return { body: Buffer.concat(chunks), complete: false }
    const chunk = sent.subarray(line + 2, line + 2 + size)
    chunks.push(size === 0 ? sent.subarray(line + 4) : chunk)
    if (size === 0) return { body: Buffer.concat(chunks), complete: sent.length >= line + 4 }
    at = line + 2 + size + 2
  }
}
