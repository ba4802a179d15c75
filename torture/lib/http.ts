import { type Agent, request as send } from 'node:http'

/** What came of a request: as far as it came, also where the connection broke. */
export interface Got {
  /** 0 where no answer began. */
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  /** Whether it looks complete to a client. */
  complete: boolean
}

export interface Asked {
  method?: string
  headers?: Record<string, string>
  body?: string
  agent?: Agent
  /** Leaves after so many bytes of the body; 0 is right after sending. */
  leaveAfter?: number
  /** Milliseconds in which the whole answer must be there. */
  timeout?: number
}

/** Sends a request and reads the answer, whatever comes. Never rejects. */
export function get(url: string, asked: Asked = {}): Promise<Got> {
  const { method = 'GET', headers = {}, body, agent, leaveAfter, timeout = 30_000 } = asked
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const got: Got = { status: 0, headers: {}, body: Buffer.alloc(0), complete: false }
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
        if (leaveAfter !== undefined && length >= leaveAfter) request.destroy()
      })
      response.on('error', () => undefined)
      response.once('close', () => end(response.complete))
    })
    const timer = setTimeout(() => request.destroy(), timeout)
    request.on('error', () => end(false))
    request.end(body)
    if (leaveAfter === 0) setTimeout(() => request.destroy(), Math.random() * 20)
  })
}

/** Refusals are JSON with a code, or with the fields that are wrong. */
export function codeOf({ body }: Got): string | undefined {
  try {
    const { code, errors } = JSON.parse(body.toString()) as { code?: string; errors?: Record<string, string[]> }
    return code ?? (errors && `${Object.keys(errors).join()}: ${Object.values(errors).flat()[0]?.slice(0, 60)}`)
  } catch {
    return undefined
  }
}
