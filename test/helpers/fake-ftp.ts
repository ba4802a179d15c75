import type { Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import type { Certificate } from './certificate.js'
import { HostileServer } from './hostile-server.js'

type Answer = (socket: Socket) => void

/** Overrides of an honest server's behaviour at each step: a command, the greeting, or a data connection. */
export type FtpScript = Partial<Record<'greeting' | 'data' | 'TLS' | (string & {}), Answer>>

/** A fake FTP server that serves one file at every path, honest except for what a script overrides. */
export async function fakeFtp(content: Buffer, script: FtpScript = {}, certificate?: Certificate) {
  /** Commands received, and how many of them without TLS. */
  const seen = { commands: [] as string[], plain: 0 }
  const context = certificate && createSecureContext(certificate)
  const secure = (socket: Socket) => {
    const secured = new TLSSocket(socket, { isServer: true, secureContext: context })
    secured.on('error', () => socket.destroy())
    return secured
  }
  const ready: ((data: Socket) => void)[] = []
  const waiting: Socket[] = []
  const data = await HostileServer.start((socket) => {
    const next = ready.shift()
    if (next) next(socket)
    else waiting.push(socket)
  })

  function speak(socket: Socket, start: boolean): void {
    let offset = 0
    const say = (line: string) => void socket.write(`${line}\r\n`)
    const honest: Record<string, (argument: string) => void> = {
      USER: () => say('331 password'),
      PASS: () => say('230 in'),
      FEAT: () => say('211-Features:\r\n SIZE\r\n REST STREAM\r\n211 End'),
      SIZE: () => say(`213 ${content.length}`),
      EPSV: () => say(`229 Entering Extended Passive Mode (|||${data.port}|)`),
      REST: (argument) => {
        offset = Number(argument)
        say('350 go on')
      },
      RETR: () => {
        say('150 here it comes')
        const send = (to: Socket) => {
          const channel = socket instanceof TLSSocket ? secure(to) : to
          if (script.data) return script.data(channel)
          channel.end(content.subarray(offset), () => say('226 done'))
        }
        const open = waiting.shift()
        if (open) send(open)
        else ready.push(send)
      },
    }
    if (start && script.greeting) script.greeting(socket)
    else if (start) say('220 hello')
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk
      for (let end = text.indexOf('\r\n'); end >= 0; end = text.indexOf('\r\n')) {
        const line = text.slice(0, end)
        text = text.slice(end + 2)
        const [verb = '', ...rest] = line.split(' ')
        seen.commands.push(line)
        if (!(socket instanceof TLSSocket)) seen.plain += 1
        if (line === 'AUTH TLS' && !script.AUTH) {
          if (!context) return say('502 no')
          say('234 go on')
          socket.removeAllListeners('data')
          if (script.TLS) return script.TLS(socket)
          return speak(secure(socket), false)
        }
        if (script[verb]) script[verb](socket)
        else if (honest[verb]) honest[verb](rest.join(' '))
        else say('200 fine')
      }
    })
  }

  const server = await HostileServer.start((socket) => speak(socket, true))
  return {
    server,
    data,
    seen,
    url: (scheme = 'ftp', path = 'a.csv') => `${scheme}://tide:secret@127.0.0.1:${server.port}/${path}`,
    /** The next data connection, for scripts that answer RETR themselves. */
    connection: () =>
      new Promise<Socket>((resolve) => {
        const open = waiting.shift()
        if (open) resolve(open)
        else ready.push(resolve)
      }),
    /** Open connections, both control and data. */
    open: () => server.open.size + data.open.size,
    async close() {
      await server.close()
      await data.close()
    },
  }
}
