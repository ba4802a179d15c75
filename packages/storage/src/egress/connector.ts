import type { Socket } from 'node:net'
import { abortSignal, type Cancellation, connector } from '@tidegate/common'
import { checkedLookup, ForbiddenDestination, type Lookup, literalAddress } from '@tidegate/protocol/addresses'
import type { buildConnector } from 'undici'
import type { Destinations } from './destinations.js'
import { receiving } from './responses/receiving.js'
import { strictSocket } from './upstream-socket.js'

/** The allowed destinations, and the resolver of names. */
export interface ResolveOptions {
  destinations: Destinations
  lookup: Lookup
}

/** The signal of the request that is being dispatched. Set only during a synchronous call that opens the connection. */
let dispatching: Cancellation | undefined

/**
 * Dispatches a request to undici. The signal also aborts the look-up and the connection of the request: undici would continue
 * both and keep the slot until the socket is connected.
 */
export function sendWithSignal(signal: Cancellation, send: () => void): void {
  dispatching = signal
  try {
    send()
  } finally {
    dispatching = undefined
  }
}

/**
 * Returns a connector to allowed addresses only. A name is checked in the look-up that returns the address to connect to, so
 * DNS rebinding cannot bypass the check. `timeout` in milliseconds.
 */
export function guardedConnector({
  timeout,
  ...options
}: ResolveOptions & { timeout: number }): buildConnector.connector {
  // the environment cannot turn verification off
  const tls = { rejectUnauthorized: true }
  const checked = checkedBy(options)
  const lookup: Lookup = (hostname, options, callback) =>
    checked(hostname, dispatching ? { ...options, signal: abortSignal(dispatching) } : options, callback)
  // nothing is read ahead, see strictSocket
  const common = { timeout, lookup, ...tls, highWaterMark: 0 }
  const secure = connector(common as buildConnector.BuildOptions)
  const plain = connector({ ...common, onread: receiving() } as buildConnector.BuildOptions)
  return (target, callback) => {
    const literal = literalAddress(target.hostname)
    if (literal !== undefined && !options.destinations.allows(literal)) {
      callback(new ForbiddenDestination('not an allowed address'), null)
      return
    }
    const signal = dispatching
    const abort = () => opening.destroy(signal?.reason as Error)
    const connect = target.protocol === 'https:' ? secure : plain
    const opening = connect(target, (error, socket) => {
      signal?.removeEventListener('abort', abort)
      if (error) callback(error, null)
      else callback(null, strictSocket(socket))
    }) as unknown as Socket
    signal?.addEventListener('abort', abort, { once: true })
  }
}

const checkedBy = ({ destinations, lookup }: ResolveOptions): Lookup =>
  checkedLookup(lookup, (address) => destinations.allows(address))

/**
 * Resolves a host to a checked address, for protocols that open their own sockets. Callers must connect to the address, never
 * to the name. Rejects with ForbiddenDestination, DnsError, or the signal's reason.
 */
export function pinnedAddress(hostname: string, options: ResolveOptions, signal?: Cancellation): Promise<string> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const literal = literalAddress(hostname)
    if (literal !== undefined) {
      if (options.destinations.allows(literal)) resolve(literal)
      else reject(new ForbiddenDestination('not an allowed address'))
      return
    }
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    checkedBy(options)(
      hostname,
      { all: false, ...(signal ? { signal: abortSignal(signal) } : {}) },
      (error, address) => {
        signal?.removeEventListener('abort', abort)
        if (error) reject(error)
        else resolve(address as string)
      },
    )
  })
}
