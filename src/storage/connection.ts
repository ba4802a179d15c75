import { isIP, Socket } from 'node:net'
import { type TLSSocket, connect as tlsConnect } from 'node:tls'
import { StorageError } from '../errors.js'
import type { Egress, PinnedDestination } from './egress.js'
import type { Asking } from './storage.js'

/**
 * A socket that tells when it has gone, whatever a library does to its listeners. It closes without an error event,
 * which would end the process where nobody listens any more.
 */
class OwnSocket extends Socket {
  /** Bytes that had come when it went. */
  received = 0

  constructor(private readonly onGone: (socket: OwnSocket) => void) {
    super()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.received = this.bytesRead
    super._destroy(error, () => done())
    this.onGone(this)
  }
}

/**
 * One connection to a storage that is not asked over HTTP: the sockets that belong to it, and how long it lasts. It
 * ends with the signal of whoever asks, at its deadline, or by `end`: then every socket is destroyed at once, without a
 * goodbye that the other side could leave unanswered, and the place in the budget is given back with the last of them.
 */
export class StorageConnection {
  private readonly sockets = new Set<OwnSocket>()
  private timer: NodeJS.Timeout | undefined
  private over = false
  private late = false

  private constructor(
    private readonly place: PinnedDestination,
    private readonly asking: Asking,
  ) {
    asking.signal.addEventListener('abort', this.end)
    if (asking.signal.aborted) this.end()
  }

  /** A connection to where a URL leads; nothing is opened yet. Throws StorageError. */
  static async to(url: URL, defaultPort: number, egress: Egress, asking: Asking): Promise<StorageConnection> {
    return new StorageConnection(await egress.pinned(url, defaultPort, asking), asking)
  }

  /** Milliseconds until the answer begins, and without a byte in the middle. */
  get timeouts(): Pick<PinnedDestination, 'connectTimeout' | 'responseTimeout' | 'stallTimeout'> {
    return this.place
  }

  /** Opens a socket to the address that was checked, at the URL's port or another one. Throws StorageError. */
  async connect(port = this.place.port): Promise<Socket> {
    if (this.over) throw this.failure()
    const socket = new OwnSocket(this.gone)
    this.sockets.add(socket)
    const timer = setTimeout(this.expire, this.place.connectTimeout)
    try {
      socket.setNoDelay(true).connect({ host: this.place.address, port })
      await this.happens(socket, 'connect')
      return socket
    } catch {
      socket.destroy()
      throw this.failure()
    } finally {
      clearTimeout(timer)
    }
  }

  /**
   * Begins TLS on a socket. The certificate must be that of the host, by an authority that Node trusts; what the
   * environment says of that does not count.
   */
  secure(socket: Socket, hostname: string, session?: Buffer): TLSSocket {
    // the brackets of IPv6 belong to the URL; an address is checked like a name, but not asked for by name
    const host = hostname.replace(/^\[|\]$/g, '')
    const name = isIP(host) ? {} : { servername: host }
    const { ca } = this.place
    const secured = tlsConnect({ socket, host, ...name, ca, rejectUnauthorized: true, ...(session ? { session } : {}) })
    return secured.on('error', () => undefined)
  }

  /** Waits for an event of a socket, and answers what it brings. Throws StorageError where the socket goes first. */
  happens(socket: Socket, event: 'connect' | 'secureConnect' | 'data'): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const closed = () => reject(this.failure())
      socket.once('close', closed).once(event, (brought: unknown) => {
        socket.off('close', closed)
        resolve(brought)
      })
    })
  }

  /** Ends the connection after so many milliseconds; undefined lifts that. A later deadline replaces an earlier one. */
  deadline(milliseconds: number | undefined): void {
    clearTimeout(this.timer)
    if (milliseconds !== undefined && !this.over) this.timer = setTimeout(this.expire, milliseconds)
  }

  /** Ends the connection as one that took too long. */
  readonly expire = (): void => {
    this.late ||= !this.over
    this.end()
  }

  /** Ends the connection, whatever state it is in. */
  readonly end = (): void => {
    if (this.over) return
    this.over = true
    clearTimeout(this.timer)
    this.asking.signal.removeEventListener('abort', this.end)
    for (const socket of this.sockets) socket.destroy()
    this.releaseWhenGone()
  }

  /** Why the connection came to nothing, in words that do not tell where it led. */
  failure(): StorageError {
    return this.late || this.asking.signal.aborted
      ? new StorageError('STORAGE_TIMEOUT', 'The storage of this file did not answer in time.')
      : new StorageError('STORAGE_REFUSED', 'The storage of this file did not hand it out.')
  }

  private readonly gone = (socket: OwnSocket): void => {
    this.sockets.delete(socket)
    this.asking.fetched?.(socket.received)
    this.releaseWhenGone()
  }

  private releaseWhenGone(): void {
    if (this.over && this.sockets.size === 0) this.place.release()
  }
}
