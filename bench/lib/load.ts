import { connect, type Socket } from 'node:net'

/** What is sent over each connection: its requests in turn, as the bytes of HTTP/1.1. */
export interface Load {
  host: string
  port: number
  /** One list for each connection. */
  requests: string[][]
  /** Requests in all. */
  amount: number
}

export interface LoadResult {
  seconds: number
  /** Milliseconds of each request until its last byte. */
  latencies: number[]
  /** Milliseconds until the first byte of the answer. */
  firstBytes: number[]
  bytes: number
  /** How many answers had another status than 2xx. */
  failed: number
  /** One of those, to see what is wrong. */
  example?: string
}

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Sends requests over keep-alive connections, each one after the other, over bare sockets: a client that costs little
 * leaves the machine to what is measured. Understands answers with a Content-Length, and chunked ones by their end.
 */
export async function run({ host, port, requests, amount }: Load): Promise<LoadResult> {
  const result: LoadResult = { seconds: 0, latencies: [], firstBytes: [], bytes: 0, failed: 0 }
  const sockets = await Promise.all(requests.map(() => open(host, port)))
  let left = amount
  const begun = performance.now()
  await Promise.all(sockets.map((socket, at) => serve(socket, requests[at] as string[])))
  result.seconds = (performance.now() - begun) / 1000
  for (const socket of sockets) socket.destroy()
  return result

  function serve(socket: Socket, list: string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let next = 0
      let sent = 0
      let awaited = -1 // bytes of the body that are to come; -1: the head is to come, -2: chunked
      let head: Buffer = Buffer.alloc(0)
      const send = () => {
        if (left-- <= 0) return resolve()
        head = Buffer.alloc(0)
        awaited = -1
        sent = performance.now()
        socket.write(list[next++ % list.length] as string)
      }
      const done = () => {
        result.latencies.push(performance.now() - sent)
        send()
      }
      socket.on('error', reject)
      socket.on('close', () => reject(new Error('The connection was closed.')))
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
