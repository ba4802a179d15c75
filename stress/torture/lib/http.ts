import { type Agent, request as send } from 'node:http'

/** The received part of a response, even if the connection broke. */
export interface Received {
  /** 0 if no response began. */
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  /** Whether a client would consider it complete. */
  complete: boolean
}

export interface RequestOptions {
  method?: string
  headers?: Record<string, string>
  body?: string
  agent?: Agent
  /** Aborts after this many bytes of the body; 0: right after sending. */
  abortAfter?: number
  /** Deadline for the whole response, in milliseconds. */
  timeout?: number
}

/** Sends a request and reads the response, as far as it arrives. Never rejects. */
export function get(url: string, options: RequestOptions = {}): Promise<Received> {
  const { method = 'GET', body, agent, abortAfter, timeout = 30_000 } = options
  // Node sends the body of a DELETE without a length otherwise, which makes it another request
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const headers = { ...length, ...options.headers }
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const got: Received = { status: 0, headers: {}, body: Buffer.alloc(0), complete: false }
    const end = (complete: boolean) => {
      clearTimeout(timer)
      resolve({ ...got, body: Buffer.concat(chunks), complete })
    }
    const request = send(url, { method, headers, agent: agent ?? false }, (response) => {
      got.status = response.statusCode ?? 0
      got.headers = response.headers
      let length = 0
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk)
        length += chunk.length
        if (abortAfter !== undefined && length >= abortAfter) request.destroy()
      })
      response.on('error', () => undefined)
      response.once('close', () => end(response.complete))
    })
    const timer = setTimeout(() => request.destroy(), timeout)
    request.on('error', () => end(false))
    request.end(body)
    if (abortAfter === 0) setTimeout(() => request.destroy(), Math.random() * 20)
  })
}

/** Returns the code of a JSON error, or its invalid fields; undefined if the body is neither. */
export function codeOf({ body }: Received): string | undefined {
  try {
    const { code, errors } = JSON.parse(body.toString()) as { code?: string; errors?: Record<string, string[]> }
    return code ?? (errors && `${Object.keys(errors).join()}: ${Object.values(errors).flat()[0]?.slice(0, 60)}`)
  } catch {
    return undefined
  }
}
