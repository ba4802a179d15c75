import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request as forward } from 'node:http'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pipeline } from 'node:stream'

const require = createRequire(import.meta.url)

/** A running back end of a storage kind, and how to reach it. */
export interface Backend {
  port: number
  /** The folder with its data. */
  folder: string
  close(): Promise<void>
}

/** Ports below those that systems give to connections and to servers at port 0, which would take them meanwhile. */
const FREE_PORTS = [20_000, 32_000] as const

/** A port that was free just now, for servers that cannot listen at port 0. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(...FREE_PORTS)
    const server = createTcpServer()
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true))
    })
    if (!isFree) continue
    server.close()
    await once(server, 'close')
    return port
  }
}

/** The keys that the S3 server of `startS3` accepts. */
export const S3_KEYS = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }

/**
 * An S3 server with one object. A proxy in front of it verifies every signature with another implementation, since the
 * server itself ignores them.
 */
export async function startS3(bucket: string, key: string, content: Buffer): Promise<Backend> {
  const S3rver = require('s3rver')
  const aws4 = require('aws4')
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  const server = new S3rver({
    port: 0,
    address: '127.0.0.1',
    silent: true,
    directory: folder,
    configureBuckets: [{ name: bucket }],
  })
  const { port: inner } = await server.run()
  const send = (method: string, path: string, headers: object, body?: Buffer) =>
    new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      const sent = forward({ host: '127.0.0.1', port: inner, method, path, headers: headers as never }, resolve)
      sent.on('error', reject).end(body)
    })
  const path = `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`
  const put = {
    host: `127.0.0.1:${inner}`,
    path,
    method: 'PUT',
    service: 's3',
    region: 'us-east-1',
    body: content,
    headers: { 'Content-Type': 'text/csv' },
  }
  const stored = await send('PUT', path, aws4.sign(put, S3_KEYS).headers, content)
  if (stored.statusCode !== 200) throw new Error(`The object could not be stored: ${stored.statusCode}`)
  stored.resume()

  const door = createServer(async (request, response) => {
    const { authorization = '', host, 'x-amz-date': date } = request.headers
    const expected = aws4.sign(
      {
        host,
        path: request.url,
        method: request.method,
        service: 's3',
        region: 'us-east-1',
        headers: { 'X-Amz-Date': date, 'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD' },
      },
      S3_KEYS,
    ).headers.Authorization as string
    const signature = (text: string) => /Signature=(\w+)/.exec(text)?.[1]
    if (!signature(authorization) || signature(authorization) !== signature(expected))
      return void response.writeHead(403).end()
    const { range } = request.headers
    const answer = await send(request.method as string, request.url as string, range ? { range } : {})
    response.writeHead(answer.statusCode as number, answer.headers)
    pipeline(answer, response, () => undefined) // when one side closes, so does the other
  })
  door.listen(0, '127.0.0.1')
  await once(door, 'listening')
  return {
    port: (door.address() as AddressInfo).port,
    folder,
    async close() {
      door.close()
      door.closeAllConnections()
      await server.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** An FTP server with one file, for user "tide" with password "pässword". */
export async function startFtp(name: string, content: Buffer): Promise<Backend> {
  const { FtpSrv } = require('ftp-srv')
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-test-'))
  writeFileSync(join(folder, name), content)
  const port = await freePort()
  const quiet = { trace() {}, debug() {}, info() {}, warn() {}, error() {}, child: () => quiet }
  const server = new FtpSrv({ url: `ftp://127.0.0.1:${port}`, pasv_url: '127.0.0.1', log: quiet as never })
  server.on(
    'login',
    ({ username, password }: Record<string, string>, resolve: (ok: object) => void, reject: (no: Error) => void) =>
      username === 'tide' && password === 'pässword' ? resolve({ root: folder }) : reject(new Error('no')),
  )
  await server.listen()
  return {
    port,
    folder,
    async close() {
      await server.close()
      rmSync(folder, { recursive: true })
    },
  }
}
