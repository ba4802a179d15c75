import { isIP, Socket } from 'node:net'
import { type TLSSocket, connect as tlsConnect } from 'node:tls'
import type { FileProblem, StorageError } from '@tidegate/protocol'
import type { RequestContext } from '../storage.js'
import { notDelivered, timedOut } from '../storage-failures.js'
import type { Egress, PinnedDestination } from './egress.js'

/**
 * A socket that reports its end even if a library removes its listeners. It is destroyed without an error event, which would
 * crash the process without a listener.
 */
class TrackedSocket extends Socket {
  /** Received bytes, set when the socket is destroyed. */
  received = 0

  constructor(private readonly onDestroyed: (socket: TrackedSocket) => void) {
    super()
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.received = this.bytesRead
    super._destroy(error, () => done())
    this.onDestroyed(this)
  }
}

/**
 * A connection to a storage by a protocol other than HTTP, with its sockets. It ends with the signal of its request, at its
 * deadline, or by `end`. Sockets are destroyed at once, without a shutdown handshake that the peer could stall. The last one
 * releases the slot in the budget.
 */
export class StorageConnection {
  private readonly sockets = new Set<TrackedSocket>()
  private timer: NodeJS.Timeout | undefined
  private ended = false
  private timedOut = false
  private connected = false

  private constructor(
    private readonly destination: PinnedDestination,
    private readonly context: RequestContext,
  ) {
    context.signal.addEventListener('abort', this.end)
    if (context.signal.aborted) this.end()
  }

  /** Prepares a connection to the host of a URL. Does not connect yet. Throws StorageError. */
  static async to(url: URL, defaultPort: number, egress: Egress, context: RequestContext): Promise<StorageConnection> {
    return new StorageConnection(await egress.pin(url, defaultPort, context), context)
  }

  /** Milliseconds to connect, until the response begins, and between two bytes. */
  get timeouts(): Pick<PinnedDestination, 'connectTimeout' | 'responseTimeout' | 'stallTimeout'> {
    return this.destination
  }

  /** Opens a socket to the checked address, by default at the port of the URL. Throws StorageError. */
  async connect(port = this.destination.port): Promise<Socket> {
    if (this.ended) throw this.failure()
    const socket = new TrackedSocket(this.onSocketDestroyed)
    this.sockets.add(socket)
    const timer = setTimeout(this.expire, this.destination.connectTimeout)
    try {
      socket.setNoDelay(true).connect({ host: this.destination.address, port })
      await this.waitFor(socket, 'connect')
      this.connected = true
      return socket
    } catch {
      socket.destroy()
      throw this.failure()
    } finally {
      clearTimeout(timer)
    }
  }

  /** Starts TLS on a socket. The certificate must be valid for the host; the environment cannot turn that off. */
  secure(socket: Socket, hostname: string, session?: Buffer): TLSSocket {
    // the brackets of IPv6 belong to the URL; an address is verified like a name, but SNI allows names only
    const host = hostname.replace(/^\[|\]$/g, '')
    const name = isIP(host) ? {} : { servername: host }
    const { ca } = this.destination
    const secured = tlsConnect({ socket, host, ...name, ca, rejectUnauthorized: true, ...(session ? { session } : {}) })
    return secured.on('error', () => undefined)
  }

  /** Resolves with the argument of the next event. Rejects with StorageError if the socket closes first. */
  waitFor(socket: Socket, event: 'connect' | 'secureConnect' | 'data'): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const closed = () => reject(this.failure())
      socket.once('close', closed).once(event, (argument: unknown) => {
        socket.off('close', closed)
        resolve(argument)
      })
    })
  }

  /** Replaces the deadline by one in so many milliseconds; undefined clears it. */
  deadline(milliseconds: number | undefined): void {
    clearTimeout(this.timer)
    if (milliseconds !== undefined && !this.ended) this.timer = setTimeout(this.expire, milliseconds)
  }

  readonly expire = (): void => {
    this.timedOut ||= !this.ended
    this.end()
  }

  /** Ends the connection, in any state. */
  readonly end = (): void => {
    if (this.ended) return
    this.ended = true
    clearTimeout(this.timer)
    this.context.signal.removeEventListener('abort', this.end)
    for (const socket of this.sockets) socket.destroy()
    this.releaseWhenClosed()
  }

  /** Returns the error of a failed connection, without its destination. */
  failure(reason?: FileProblem): StorageError {
    if (this.timedOut || this.context.signal.aborted) return timedOut()
    return notDelivered(this.connected ? reason : 'unreachable')
  }

  private readonly onSocketDestroyed = (socket: TrackedSocket): void => {
    this.sockets.delete(socket)
    this.context.fetched?.(socket.received)
    this.releaseWhenClosed()
  }

  private releaseWhenClosed(): void {
    if (this.ended && this.sockets.size === 0) this.destination.release()
  }
}
