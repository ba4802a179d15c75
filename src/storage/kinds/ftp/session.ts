import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import { Client } from 'basic-ftp'
import { BOUNDS } from '../../../bounds.js'
import type { FileProblem } from '../../../errors.js'
import type { StorageConnection } from '../../egress/connection.js'
import { Transfer } from './transfer.js'

/** What replies say about the file (RFC 959). */
const REASONS: Record<number, FileProblem> = { 530: 'denied', 532: 'denied', 550: 'not_found' }

/**
 * A session with an FTP server. Everything before the first byte of a file shares the storage's response time-out; after
 * that the stall time-out applies. The total size of replies is bounded. Methods reject with StorageError, and then the
 * connection is closed.
 */
export class FtpSession {
  private readonly client: Client
  private repliesLeft: number = BOUNDS.ftp.replies

  private constructor(
    private readonly connection: StorageConnection,
    private readonly url: URL,
  ) {
    // no time-outs of its own: those of the connection cover everything
    this.client = new Client(0)
    this.client.prepareTransfer = () => this.openData()
  }

  /** Connects and logs in. For ftps, TLS is established before the user name is sent. */
  static async login(url: URL, connection: StorageConnection): Promise<FtpSession> {
    const session = new FtpSession(connection, url)
    await session.step(() => session.greet())
    return session
  }

  /** Requests the size of a file in bytes. */
  size(path: string): Promise<number> {
    return this.step(async () => {
      const { message } = await this.client.send(`SIZE ${path}`)
      const size = Number(/^213 (\d+)\b/.exec(message)?.[1] ?? Number.NaN)
      if (!Number.isSafeInteger(size)) throw this.connection.failure()
      return size
    })
  }

  /**
   * Streams `length` bytes of a file from `start` on. Resolves when the first one has arrived. FTP can start anywhere, but
   * cannot stop early, so the connection is closed after the last byte. The stream fails where the file has fewer.
   */
  read(path: string, start: number, length: number): Promise<Readable> {
    return this.step(async () => {
      const body = new Transfer(length, this.connection)
      const sink = body.sink().once('finish', body.finish)
      this.client.downloadTo(sink, path, start).then(body.finish, body.finish)
      await body.started()
      return body
    })
  }

  /** Closes the connection without QUIT. */
  close(): void {
    this.connection.end()
  }

  private async step<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.connection.end()
      throw this.connection.failure(REASONS[(error as { code?: number }).code ?? 0])
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
      await connection.waitFor(secured, 'secureConnect')
      client.ftp.socket = secured
      this.boundReplies()
    }
    await client.sendIgnoringError('OPTS UTF8 ON')
    await client.login(decodeURIComponent(username) || 'anonymous', decodeURIComponent(password) || 'anonymous@')
    await client.useDefaultSettings()
  }

  /** Counts all bytes from the server, whether or not they form a reply. */
  private boundReplies(): void {
    this.client.ftp.socket.on('data', (text: string) => {
      this.repliesLeft -= text.length
      if (this.repliesLeft < 0) this.connection.end()
    })
  }

  /** Opens the data connection to the checked address, whatever the server says. */
  private async openData() {
    const { client, connection } = this
    const reply = await client.send('EPSV')
    const port = Number(/([|!])\1\1(\d{1,5})\1/.exec(reply.message)?.[2] ?? Number.NaN)
    // a privileged port belongs to another service
    if (!(port >= 1024 && port <= 65_535)) throw connection.failure()
    const socket = await connection.connect(port)
    const control = client.ftp.socket as TLSSocket
    client.ftp.dataSocket = client.ftp.hasTLS
      ? connection.secure(socket, this.url.hostname, client.ftp.tlsSessionStore ?? control.getSession())
      : socket
    return reply
  }
}
