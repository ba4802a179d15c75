import { connect, type Socket } from 'node:net'

/** The raw bytes of a GET request, with additional headers. */
export function getRequest(url: string, headers = ''): string {
  const { host, pathname, search } = new URL(url)
  return `GET ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\n${headers}\r\n`
}

/** The raw bytes of a POST request, with only the first `sent` bytes of its body. */
export function postRequest(url: string, body: string, type = 'application/json', sent = body.length): string {
  const { host, pathname, search } = new URL(url)
  const head = `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: ${type}\r\n`
  return `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body.slice(0, sent)}`
}

/** A raw connection to a service, which ignores errors. */
export function bareSocket(url: string): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname).on('error', () => undefined)
}

/** Waits until a connection has closed, also where the other side resets it, which `once` takes for a failure. */
export function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => void socket.on('error', () => undefined).once('close', () => resolve()))
}

/** Everything that a service answers to some bytes until it closes the connection, as latin1. */
export async function saidTo(url: string, bytes: string): Promise<string> {
  const socket = bareSocket(url)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.write(bytes)
  await closed(socket)
  return Buffer.concat(chunks).toString('latin1')
}

/** The first response on a connection: its head, the body of the declared length, and the bytes after that. */
export function firstAnswer(said: string): { head: string; declared: number; body: string; behind: string } {
  const end = said.indexOf('\r\n\r\n') + 4
  const head = said.slice(0, end)
  const declared = Number(/^content-length: (\d+)\r$/im.exec(head)?.[1] ?? Number.NaN)
  return { head, declared, body: said.slice(end, end + declared), behind: said.slice(end + declared) }
}
