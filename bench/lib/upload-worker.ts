import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'

/** A file that is uploaded by the tus protocol. */
export interface Upload {
  /** Where uploads are created. */
  url: string
  headers: Record<string, string>
  bytes: number
  /** Bytes of a part; each has a checksum if `checksums`. */
  part: number
  checksums: boolean
}

export interface Uploaded {
  seconds: number
  /** URL of the file. */
  url: string
}

const BLOCK = Buffer.alloc(1 << 20, 'tide')
const VERSION = { 'tus-resumable': '1.0.0' }
const agent = new Agent({ keepAlive: true, maxSockets: 1 })

/** Uploads from memory: a cheap client leaves the CPU to the service. */
async function upload({ url: at, headers, bytes, part, checksums }: Upload): Promise<Uploaded> {
  const sums = new Map<number, string>()
  const sumOf = (length: number) => {
    const sum = sums.get(length) ?? sum256(length)
    sums.set(length, sum)
    return { 'upload-checksum': `sha256 ${sum}` }
  }
  // outside what is timed: every part has the same bytes
  if (checksums) sumOf(part)
  const begun = performance.now()
  const length = { 'upload-length': String(bytes), 'content-length': '0' }
  const created = await send('POST', at, { ...headers, ...VERSION, ...length }, 0)
  const url = new URL(created.headers.location as string, at).href
  for (let offset = 0; offset < bytes; offset += part) {
    const length = Math.min(part, bytes - offset)
    const about = { 'upload-offset': String(offset), 'content-length': String(length) }
    const type = { 'content-type': 'application/offset+octet-stream' }
    await send('PATCH', url, { ...headers, ...VERSION, ...type, ...about, ...(checksums ? sumOf(length) : {}) }, length)
  }
  return { seconds: (performance.now() - begun) / 1000, url }
}

async function send(method: string, url: string, headers: Record<string, string>, length: number) {
  const sent = request(url, { method, headers, agent })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  for (let left = length; left > 0; left -= BLOCK.length)
    if (!sent.write(left < BLOCK.length ? BLOCK.subarray(0, left) : BLOCK))
      await Promise.race([once(sent, 'drain'), answered])
  sent.end()
  const [answer] = await answered
  answer.resume()
  await once(answer, 'end')
  if ((answer.statusCode ?? 0) >= 300) throw new Error(`${method} was answered ${answer.statusCode}.`)
  return answer
}

function sum256(length: number): string {
  const hash = createHash('sha256')
  for (let left = length; left > 0; left -= BLOCK.length) hash.update(BLOCK.subarray(0, Math.min(left, BLOCK.length)))
  return hash.digest('base64')
}

// a separate process, so that it does not share the event loop of the benchmark
process.on('message', async (asked: Upload) => {
  process.send?.(await upload(asked).catch((error: Error) => ({ error: error.message })))
})
