import type { Readable } from 'node:stream'
import type { TLSSocket } from 'node:tls'
import type { FileProblem } from '@tidegate/protocol'
import { LAST_PORT } from '@tidegate/protocol/constants'
import { Client } from 'basic-ftp'
import { FIRST_FREE_PORT } from '../../constants.js'
import type { StorageConnection } from '../../egress/connection.js'
import { STORAGE_LIMITS } from '../../limits.js'
import { extendedPort, passivePort, repliedSize, sizeFact } from './replies.js'
import { Transfer } from './transfer.js'

/** Problems of the file by reply code (RFC 959). */
const REASONS: Record<number, FileProblem> = { 530: 'denied', 532: 'denied', 550: 'not_found' }

/**
 * A session with an FTP server. The response time-out covers everything before the first byte of a file; then the stall
 * time-out applies. The total size of replies is limited. Methods reject with StorageError and close the connection.
 */
export class FtpSession {
  private readonly client: Client
  private repliesLeft: number = STORAGE_LIMITS.ftp.replies

  private constructor(
    private readonly connection: StorageConnection,
    private readonly url: URL,
  ) {
    // without time-outs, since those of the connection cover everything
    this.client = new Client(0)
    this.client.prepareTransfer = () => this.openData()
  }

  /** Connects and logs in. For ftps, TLS precedes the user name. */
  static async login(url: URL, connection: StorageConnection): Promise<FtpSession> {
    const session = new FtpSession(connection, url)
    await session.step(() => session.greet())
    return session
  }

  /** Requests the size of a file in bytes, by SIZE or MLST. Undefined if the server supports neither. */
  size(path: string): Promise<number | undefined> {
    return this.step(async () => {
      const sized = await this.client.sendIgnoringError(`SIZE ${path}`)
      if (sized.code < 400) return this.wholeNumber(repliedSize(sized.message))
      const listed = await this.client.sendIgnoringError(`MLST ${path}`)
      const size = listed.code < 400 ? sizeFact(listed.message) : undefined
      return size === undefined ? undefined : this.wholeNumber(size)
    })
  }

  /** Whether the server can start a transfer at this byte. */
  canStartAt(position: number): Promise<boolean> {
    return this.step(async () => (await this.client.sendIgnoringError(`REST ${position}`)).code === 350)
  }

  /**
   * Streams `length` bytes of a file from `start` on; Infinity: until the server confirms the end. Resolves at the first byte.
   * FTP cannot end a transfer early, so the connection is closed after the last byte. The stream fails if the file is shorter.
   */
  read(path: string, start: number, length: number): Promise<Readable> {
    return this.step(async () => {
      const body = new Transfer(length, this.connection)
      const sink = body.sink()
      // the end of a file of unknown size needs the server's confirmation
      if (length !== Number.POSITIVE_INFINITY) sink.once('finish', body.finish)
      const refused = new Promise<never>((_resolve, reject) => {
        this.client.downloadTo(sink, path, start).then(body.finish, (error) => {
          reject(error)
          body.fail()
        })
      })
      await Promise.race([body.started(), refused])
      return body
    })
  }

  /** Closes the connection without QUIT. */
  close(): void {
    this.connection.end()
  }

  /** Parses a number of bytes. Throws StorageError. */
  private wholeNumber(digits: string): number {
    const size = /^\d+$/.test(digits) ? Number(digits) : Number.NaN
    if (!Number.isSafeInteger(size)) throw this.connection.failure()
    return size
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
      const kind = reply instanceof Error ? undefined : Math.floor(reply.code / 100)
      if (kind === 2) task.resolve(reply)
      // 120: ready in a while
      else if (kind !== 1) task.reject(connection.failure())
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
    const extended = await client.sendIgnoringError('EPSV')
    const isRefused = extended.code >= 400
    const reply = isRefused ? await client.send('PASV') : extended
    const port = isRefused ? passivePort(reply.message) : extendedPort(reply.message)
    // a privileged port belongs to another service
    if (!(port >= FIRST_FREE_PORT && port <= LAST_PORT)) throw connection.failure()
    const socket = await connection.connect(port)
    const control = client.ftp.socket as TLSSocket
    client.ftp.dataSocket = client.ftp.hasTLS
      ? connection.secure(socket, this.url.hostname, client.ftp.tlsSessionStore ?? control.getSession())
      : socket
    return reply
  }
}
