import { request } from 'node:http'

/** A part whose bytes are sent when the test says so. */
export class SlowPart {
  answer: { status: number | undefined; retryAfter: string | undefined; body: string } | undefined
  isCut = false
  private readonly sent

  constructor(url: string, headers: Record<string, string>, length: number) {
    const all = { ...headers, 'tus-resumable': '1.0.0', 'upload-offset': '0', 'content-length': String(length) }
    const type = { 'content-type': 'application/offset+octet-stream' }
    this.sent = request(url, { method: 'PATCH', headers: { ...all, ...type }, agent: false })
    this.sent.flushHeaders()
    this.sent.on('error', () => {
      this.isCut = true
    })
    this.sent.on('response', (response) => {
      const { statusCode: status, headers } = response
      const answer = { status, retryAfter: headers['retry-after'], body: '' }
      response.on('data', (data) => {
        answer.body += data
      })
      response.on('end', () => {
        this.answer = answer
      })
    })
  }

  write(bytes: Uint8Array): void {
    this.sent.write(bytes)
  }

  end(): void {
    this.sent.destroy()
  }
}
