import type { Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Certificate } from './certificate.js'
import { HostileServer } from './hostile-server.js'

/** A message of a PostgreSQL server. `length` replaces its real length, to make it malformed. */
export function message(code: string, body: Buffer | string = '', length?: number): Buffer {
  const bytes = Buffer.from(body as string)
  const header = Buffer.alloc(5)
  header.write(code, 'latin1')
  header.writeUInt32BE(length ?? bytes.length + 4, 1)
  return Buffer.concat([header, bytes])
}

const int32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeInt32BE(value)
  return bytes
}
const int16 = (value: number) => {
  const bytes = Buffer.alloc(2)
  bytes.writeInt16BE(value)
  return bytes
}

/** The message that asks for a kind of authentication; 0 says that there is enough of it. */
export const authentication = (kind: number, rest: Buffer | string = '') =>
  message('R', Buffer.concat([int32(kind), Buffer.from(rest as string)]))
/** ReadyForQuery, with the status of the transaction. */
export const ready = (status = 'I') => message('Z', status)
/** CommandComplete. */
export const done = (tag: string) => message('C', `${tag}\0`)
/** The fields of an error, or other texts, each with its end. */
export const fields = (...pairs: string[]) => `${pairs.map((pair) => `${pair}\0`).join('')}\0`
/** ErrorResponse: an unknown table, with this text. */
export const failure = (text: string) => message('E', fields('SERROR', 'C42P01', `M${text}`))
/** DataRow, with values in the text format. */
export const row = (...values: (string | Buffer | null)[]) =>
  message(
    'D',
    Buffer.concat([
      int16(values.length),
      ...values.flatMap((value) =>
        value === null ? [int32(-1)] : [int32(Buffer.byteLength(value)), Buffer.from(value as string)],
      ),
    ]),
  )
/** Columns by name and type; text is 25. */
export const columns = (described: Record<string, number>, format = 0) =>
  message(
    'T',
    Buffer.concat([
      int16(Object.keys(described).length),
      ...Object.entries(described).map(([name, type]) =>
        Buffer.concat([Buffer.from(`${name}\0`), int32(0), int16(0), int32(type), int16(-1), int32(-1), int16(format)]),
      ),
    ]),
  )

/** What clients have sent: startup parameters, passwords and statements. */
export interface Seen {
  startup: Record<string, string>[]
  passwords: string[]
  statements: string[]
  /** Requests for TLS. */
  tlsRequests: number
  /** Startup messages without TLS. */
  plain: number
}

/** Overrides of an honest server's answer at each step of a session. */
export interface Script {
  connect?(socket: Socket): void
  tls?(socket: Socket): void
  startup?(socket: Socket): void
  password?(socket: Socket): void
  begin?(socket: Socket): void
  /** Called when the first batch of rows is requested, and for each further one. */
  rows?(socket: Socket): void
  more?(socket: Socket): void
}

/** A fake PostgreSQL server with one row, honest except for what a script overrides. */
export async function fakePostgres(script: Script = {}, certificate?: Certificate) {
  const seen: Seen = { startup: [], passwords: [], statements: [], tlsRequests: 0, plain: 0 }
  const server = await HostileServer.start((socket) => {
    if (script.connect) script.connect(socket)
    speak(socket, script, seen, certificate)
  })
  const url = (query = '', user = 'reader:secret') => `postgres://${user}@127.0.0.1:${server.port}/tides${query}`
  return { server, seen, url, close: () => server.close() }
}

function speak(socket: Socket, script: Script, seen: Seen, certificate: Certificate | undefined): void {
  let pending = Buffer.alloc(0)
  let started = false
  let executed = 0
  const honest: Required<Omit<Script, 'connect' | 'tls'>> = {
    startup: (to) => to.write(authentication(3)),
    password: (to) => to.write(Buffer.concat([authentication(0), ready()])),
    begin: (to) => to.write(Buffer.concat([done('BEGIN'), ready('T')])),
    rows: (to) => to.write(Buffer.concat([message('1'), message('2'), columns({ a: 25 }), row('1'), done('SELECT 1')])),
    more: (to) => to.write(done('SELECT 0')),
  }
  const step = (name: keyof typeof honest) => (script[name] ?? honest[name])(socket)

  socket.on('data', (chunk: Buffer) => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const header = started ? 5 : 4
      if (pending.length < header) return
      const size = pending.readUInt32BE(header - 4) + (started ? 1 : 0)
      if (pending.length < size) return
      const [code, body] = [started ? String.fromCharCode(pending[0] as number) : '', pending.subarray(header, size)]
      pending = pending.subarray(size)
      if (!started && body.readInt32BE(0) === 80_877_103) {
        seen.tlsRequests += 1
        if (script.tls) return script.tls(socket)
        if (!certificate) return void socket.write('N')
        socket.write('S')
        socket.removeAllListeners('data')
        const secured = new TLSSocket(socket, { isServer: true, secureContext: createSecureContext(certificate) })
        secured.on('error', () => socket.destroy())
        return speak(secured, script, seen, undefined)
      }
      if (!started) {
        started = true
        if (!(socket instanceof TLSSocket)) seen.plain += 1
        const parts = body.subarray(4).toString().split('\0')
        seen.startup.push(
          Object.fromEntries(parts.flatMap((part, at) => (at % 2 || part === '' ? [] : [[part, parts[at + 1] ?? '']]))),
        )
        step('startup')
      } else if (code === 'p') {
        seen.passwords.push(body.toString().replace(/\0$/, ''))
        step('password')
      } else if (code === 'Q') step('begin')
      else if (code === 'P') seen.statements.push(body.toString().split('\0')[1] as string)
      else if (code === 'E') step(executed++ === 0 ? 'rows' : 'more')
      else if (code === 'S') socket.write(ready('T'))
    }
  })
}
