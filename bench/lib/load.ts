import { connect, type Socket } from 'node:net'

/** A load: HTTP/1.1 requests as raw text, repeated in order over each connection. */
export interface Load {
  host: string
  port: number
  /** Ports of several servers, which the connections are spread over, instead of one. */
  ports?: number[]
  /** One list for each connection. */
  requests: string[][]
  /** Requests in total. */
  amount: number
  /** All connections are opened at once, each begins with its request, and all times count from the start. */
  burst?: boolean
}

export interface LoadResult {
  seconds: number
  /** Milliseconds to the last byte of each response. */
  latencies: number[]
  /** Milliseconds to the first byte of each response. */
  firstBytes: number[]
  bytes: number
  /** CPU seconds of the load generator. */
  cpu: number
  /** Responses with a status other than 2xx. */
  failed: number
  /** One failed response, for diagnosis. */
  example?: string
}

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Sends requests over keep-alive connections, sequentially on each. Uses raw sockets: a cheap client leaves the CPU to
 * the service. Supports responses with Content-Length, and chunked ones, whose end it detects by the last chunk.
 */
export async function run({ host, port, ports = [port], requests, amount, burst = false }: Load): Promise<LoadResult> {
  const result: LoadResult = { seconds: 0, latencies: [], firstBytes: [], bytes: 0, cpu: 0, failed: 0 }
  let left = amount
  let begun = performance.now()
  const opening = requests.map((_, at) => open(host, ports[at % ports.length] as number))
  if (!burst) await Promise.all(opening)
  const idle = process.cpuUsage()
  if (!burst) begun = performance.now()
  await Promise.all(opening.map(async (socket, at) => serve(await socket, requests[at] as string[])))
  result.seconds = (performance.now() - begun) / 1000
  const { user, system } = process.cpuUsage(idle)
  result.cpu = (user + system) / 1e6
  for (const socket of opening) (await socket).destroy()
  return result

  function serve(socket: Socket, list: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let next = 0
      let sent = 0
      let awaited = -1 // bytes of the body left to read; -1: reading the head, -2: chunked
      let head: Buffer = Buffer.alloc(0)
      const send = () => {
        if (left-- <= 0) return resolve()
        head = Buffer.alloc(0)
        awaited = -1
        sent = burst ? begun : performance.now()
        socket.write(list[next++ % list.length] as string)
      }
      const closed = (how: string) => {
        const where = awaited === -1 ? `after ${head.length} bytes of the head of` : 'within the body of'
        const refusal = result.example === undefined ? '' : ` An earlier response was: ${result.example}`
        return new Error(
          `The server at ${host}:${socket.remotePort ?? port} ended a connection (${how}) ${where} response ${next}.${refusal}`,
        )
      }
      const done = () => {
        result.latencies.push(performance.now() - sent)
        send()
      }
      socket.on('error', (error: NodeJS.ErrnoException) => reject(closed(error.code ?? error.message)))
      socket.on('close', () => reject(closed('closed')))
      socket.on('data', (chunk: Buffer) => {
        result.bytes += chunk.length
        if (awaited === -1) {
          if (head.length === 0) result.firstBytes.push(performance.now() - sent)
          head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
          const end = head.indexOf(HEAD_END)
          if (end < 0) return
          const text = head.toString('latin1', 0, end)
          if (!/^HTTP\/1\.1 2/.test(text)) {
            result.failed += 1
            result.example ??= head.toString()
          }
          const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
          awaited = length === undefined ? (/\r\ntransfer-encoding/i.test(text) ? -2 : 0) : Number(length)
          chunk = head.subarray(end + 4)
          if (/^HEAD/.test(list[(next - 1) % list.length] as string)) awaited = 0
        }
        if (awaited === -2) {
          if (chunk.subarray(-5).toString('latin1') === '0\r\n\r\n') done()
          return
        }
        awaited -= chunk.length
        if (awaited <= 0) done()
      })
      send()
    })
  }
}

function open(host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, noDelay: true }, () => resolve(socket))
    socket.once('error', reject)
  })
}
