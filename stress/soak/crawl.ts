import { request as send } from 'node:http'
import type { Received } from '../torture/lib/http.js'

/** Reads a response slowly: after each chunk it pauses for `pause` milliseconds. Never rejects. */
export function crawl(url: string, headers: Record<string, string>, pause: number): Promise<Received> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const got: Received = { status: 0, headers: {}, body: Buffer.alloc(0), complete: false }
    const request = send(url, { headers, agent: false }, (response) => {
      got.status = response.statusCode ?? 0
      got.headers = response.headers
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        response.pause()
        setTimeout(() => response.resume(), pause)
      })
      response.on('error', () => undefined)
      response.once('close', () => resolve({ ...got, body: Buffer.concat(chunks), complete: response.complete }))
    })
    request.on('error', () => {
      if (got.status === 0) resolve(got)
    })
    request.end()
  })
}
