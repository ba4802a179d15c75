import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { Client } from 'basic-ftp'
import { BOUNDS } from '../bounds.js'
import type { StorageConnection } from './connection.js'
import { Transfer } from './ftp-transfer.js'

/**
 * A session on an FTP server. All that comes before the first byte of a file shares the storage's response time-out;
 * then the storage may be silent for no longer than the stall time-out. Replies are bounded in all. Methods throw
 * StorageError, and end the connection where they do.
 */
export class FtpSession {
  private readonly client: Client
  private repliesLeft: number = BOUNDS.ftp.replies

  private constructor(
    private readonly connection: StorageConnection,
    private readonly url: URL,
  ) {
    // without time-outs of its own: those of the connection hold for all that it does
    this.client = new Client(0)
    this.client.prepareTransfer = () => this.openData()
  }

  /** Connects and logs in, with TLS where the URL says ftps: before anything is said of the user. */
  static async login(url: URL, connection: StorageConnection): Promise<FtpSession> {
    const session = new FtpSession(connection, url)
    await session.step(() => session.greet())
    return session
  }

  /** The size of a file in bytes. */
  size(path: string): Promise<number> {
    return this.step(async () => {
      const { message } = await this.client.send(`SIZE ${path}`)
      const size = Number(/^213 (\d+)\b/.exec(message)?.[1] ?? Number.NaN)
      if (!Number.isSafeInteger(size)) throw this.connection.failure()
      return size
    })
  }

  /**
   * The bytes of a file from `start` on, `length` of them, once the first has come: the protocol can begin anywhere, but
   * only end at the end. The connection ends with them. They break where there are fewer.
   */
  read(path: string, start: number, length: number): Promise<Readable> {
    return this.step(async () => {
      const body = new Transfer(length, this.connection)
      const sink = body.sink().once('finish', body.over)
      this.client.downloadTo(sink, path, start).then(body.over, body.over)
      await body.begun()
      return body
    })
  }

  /** Ends the session without a word. */
  close(): void {
    this.connection.end()
  }

  private async step<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch {
      this.connection.end()
      throw this.connection.failure()
    }
  }

  private async greet(): Promise<void> {
    const { client, connection } = this
    const { protocol, hostname, username, password } = this.url
    const socket = await connection.connect()
    connection.deadline(connection.timeouts.responseTimeout)
    client.ftp.socket = socket
    const greeting = client.ftp.handle(undefined, (reply, task) => {
      if (!(reply instanceof Error) && Math.floor(reply.code / 100) === 2) task.resolve(reply)
      else task.reject(connection.failure())
    })
    this.boundReplies()
    await greeting
    if (protocol === 'ftps:') {
      await client.send('AUTH TLS')
      const secured = connection.secure(socket, hostname)
      await connection.happens(secured, 'secureConnect')
      client.ftp.socket = secured
      this.boundReplies()
    }
    await client.sendIgnoringError('OPTS UTF8 ON')
    await client.login(decodeURIComponent(username) || 'anonymous', decodeURIComponent(password) || 'anonymous@')
    await client.useDefaultSettings()
  }

  /** Counts what the server says, whether it makes a reply or not. */
  private boundReplies(): void {
    this.client.ftp.socket.on('data', (text: string) => {
      this.repliesLeft -= text.length
      if (this.repliesLeft < 0) this.connection.end()
    })
  }

  /** Opens the data connection to the very address that was checked, whatever the server says. */
  private async openData() {
    const { client, connection } = this
    const reply = await client.send('EPSV')
    const port = Number(/([|!])\1\1(\d{1,5})\1/.exec(reply.message)?.[2] ?? Number.NaN)
    // a port that belongs to another service is not one for data
    if (!(port >= 1024 && port <= 65_535)) throw connection.failure()
    const socket = await connection.connect(port)
    const control = client.ftp.socket as TLSSocket
    client.ftp.dataSocket = client.ftp.hasTLS
      ? connection.secure(socket, this.url.hostname, client.ftp.tlsSessionStore ?? control.getSession())
      : socket
    return reply
  }
}
